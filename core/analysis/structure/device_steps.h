// The GPU work of steps: what each step launched, wherever and whenever it ran, and the time that
// it took on its device.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/analysis/structure/steps.h"
#include "core/trace/trace.h"

namespace lanescope {

class TraceContext;

// How the GPU work of a process's steps lies in time, compared with the steps on the host. Median
// steps are compared; a difference of at most 5 % of the step on the host is none.
enum class StepPace : uint8_t {
    no_work,    // no step launches GPU work
    with_host,  // the work ends with the step on the host
    behind,     // the work ends later; a step takes no longer on the device than on the host
    ahead,      // the work ends later, and takes longer than the step on the host: it runs ahead
    late,       // all work begins when its step has ended on the host, and takes less time than it
};
// "no work", "with host", "behind", "host ahead", "late".
std::string_view step_pace_name(StepPace pace);

struct DeviceStep {
    bool has_work = false;
    // From the end of the previous step's work to the end of its own; of the first step of a
    // recorded window, from the begin of its own work. If the device had finished the previous
    // step's work before this step began on the host, and time between the two steps belongs to
    // none of them, from the begin of the step on the host. Of several devices that of the longest.
    TimeRange device;
    TimeRange work;  // from the first begin to the last end of its own work on that device
    // The step on the host, without a gap that the profiler made (RecordingEdge). `device` and
    // `work` exclude that gap, too.
    TimeRange host;
    // The time to which the step's figures refer: `device` if the device lags or the host runs
    // ahead, otherwise `host`. In the first step of a recorded window, `device` extends back to the
    // step's start on the host, but only until it is as long as `host`.
    TimeRange window;
};

struct DeviceSteps {
    std::vector<DeviceStep> all;         // like Steps::all
    std::vector<uint32_t> step_of_work;  // by row of Trace::gpu_activities; kNoRow: no step
    std::vector<StepPace> pace;          // by process
    uint64_t by_time =
        0;  // activities without a recorded launch that belong to a step by their time

    // The duration of a step: the device's time if the host runs ahead; the longer of both if the
    // device lags and they differ by more than 5 %; otherwise DeviceStep::host.
    TimeRange range(const Steps& steps, uint32_t step) const;
    Nanos time(const Steps& steps, uint32_t step) const { return range(steps, step).length(); }

    static DeviceSteps compute(const TraceContext& context);
};

}  // namespace lanescope
