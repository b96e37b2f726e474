// A rule looks for one cause of lost time in a trace.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/analysis/context.h"
#include "core/analysis/gpu/gaps.h"
#include "core/analysis/structure/attribution.h"
#include "core/analysis/structure/call_tree.h"
#include "core/analysis/structure/gpu_work.h"
#include "core/analysis/structure/recording_edges.h"
#include "core/insight/findings/finding.h"
#include "core/insight/findings/thresholds.h"
#include "core/insight/summary/summary.h"
#include "core/trace/devices.h"

namespace lanescope {

// Idle time in which the host prepares the input of steps.
struct InputWork {
    Intervals named;  // in functions that are known to prepare input
    // Before the first launch of steps otherwise, if little other idle time follows: the host
    // launches fast enough once it begins.
    Intervals before_launches;
};

// Work of a window that its device has no records of.
struct MissingWork {
    uint64_t launches = 0;  // in the window
    uint64_t lost = 0;      // of these, without their work
    Nanos host = 0;         // of the window, on the host
    Nanos capturing = 0;    // part of it in which the program captures CUDA graphs

    // Whether idle time means nothing: too much work is missing, or the program mostly captures.
    bool hides_idle() const;
};

// The time of a device that rules analyse: the steady steps of the processes that use it, or, if
// there are none, the device's span. Inside the query's range.
struct DeviceWindow {
    uint32_t place = 0;  // index in Summary::devices
    const SummaryDevice* summary = nullptr;
    const GpuDevice* work = nullptr;
    // When no stream of the device ran anything, longest first. Owned by AllIdleGaps.
    std::vector<const IdleGap*> gaps;
    // Where figures of these steps are measured: DeviceStep::window.
    Intervals times;
    Nanos length = 0;
    Intervals host;      // when the host is in these steps; without steps the times
    uint64_t steps = 0;  // 0: the times are the span
    // Of each step (Steps::all), whether it counts; empty without steps.
    std::vector<bool> counted;
    const std::vector<uint32_t>* step_of_work = nullptr;  // of DeviceSteps
    Intervals busy;  // when the device works, also outside of the window
    Intervals computing;
    Intervals loading;                  // when it idles while a data loader of its processes runs
    InputWork input;                    // when it idles otherwise, while the host prepares input
    Intervals overhead;                 // when it idles otherwise, and the host is the cause
    std::optional<RecordingEdge> edge;  // left out of the times, with everything on its outer side
    MissingWork missing;
    BoundTimes bound_times;
    StepBound bound = StepBound::unknown;
    // Its program works on another device at least a hundred times as long: what this one idles is
    // no loss. Its window is empty.
    bool is_minor = false;
    // Hardly any of the device's work is in the program's steps, so its idle time is no loss. The
    // window is empty.
    bool is_outside_steps = false;
    // The steps' work runs only after they have ended on the host (StepPace::late).
    bool is_late = false;
    Intervals idle() const { return subtract(times, busy); }

    double share(Nanos time) const;
    bool contains(Nanos time) const { return is_in(times, time); }
    // Whether a call that begins at this time belongs to the steps.
    bool contains_call(Nanos time) const { return is_in(host, time); }
    // Whether work belongs to the steps: they launched it or, without steps, the work begins in the
    // window.
    bool counts(const GpuWork& piece) const;

  private:
    static bool is_in(const Intervals& times, Nanos time);
};

struct RuleInput {
    const TraceContext& context;
    const TableQuery& query;
    const Summary& summary;
    std::span<const DeviceWindow> devices;
    // Results of the context. They are members because loops over all work read them.
    const CallTrees& trees = context.get<CallTrees>();
    const Attribution& attribution = context.get<Attribution>();

    const Trace& trace() const { return context.trace(); }
    // The file of a device, a row of Trace::parts; 0 in a trace of one file.
    uint32_t part_of(const DeviceWindow& device) const {
        return trace().processes[device.summary->process].part;
    }
    // Returns the description of the device in its file, or null if the file has none.
    const Device* described(const DeviceWindow& device) const {
        return device_of(trace(), part_of(device), device.summary->device);
    }
};

struct FindingRule {
    std::string_view id;
    std::string_view title;
    std::string_view needs;  // what a trace must contain, in words; empty: nothing
    std::vector<ThresholdSpec> thresholds;
    // At most one finding for each device.
    std::vector<Finding> (*run)(const RuleInput& input, const Thresholds& values);
};

// All rules, as rule_list.h lists them.
std::span<const FindingRule> rules();

// Parts that several rules use.
Severity severity_of(double share);  // of the window
// A finding for a device that costs `time` of its window.
Finding finding_on(const DeviceWindow& device, Nanos time);
// The place of a slice, with its name.
FindingPlace place_of(const Trace& trace, SliceRef slice);
// Collects places and names the largest few: naming all of them would take longer than finding
// them.
class LargestPlaces {
  public:
    void add(SliceRef slice, TimeRange range) { seeds_.push_back({slice, range, false}); }
    // The idle time before a slice.
    void add_idle(TimeRange gap, SliceRef next) { seeds_.push_back({next, gap, true}); }
    // Returns the largest places, sorted. take() consumes the collected places, so a collector can
    // be taken only once.
    std::vector<FindingPlace> take(const Trace& trace) &&;

  private:
    struct Seed {
        SliceRef slice;
        TimeRange range;
        bool is_idle = false;
    };

    std::vector<Seed> seeds_;
};
// Whether a step lies inside the query's range.
bool is_inside(const RuleInput& input, const TimeRange& step);
// Sorts places by length and keeps the first few.
void keep_largest(std::vector<FindingPlace>& places);

struct FindingsQuery {
    TableQuery table;
    double min_share = 0;  // findings with a smaller share are left out; those without time stay
};
struct Findings {
    Summary summary;  // only what summarise_bounds() gives
    struct Window {
        Nanos length = 0;               // of the analysed time
        Nanos busy = 0;                 // inside it
        uint64_t steps = 0;             // that the analysed time consists of; 0: it is the span
        bool is_minor = false;          // see DeviceWindow::is_minor; its length is 0
        bool is_outside_steps = false;  // see DeviceWindow::is_outside_steps; its length is 0
        // The idle time of the summary is none of the program: see DeviceWindow::edge and missing.
        bool is_idle_unknown = false;
    };
    std::vector<Window> windows;  // by index in Summary::devices
    double min_share = 0;         // of the query
    // The findings of all rules. Findings with a cost come first, the largest cost first.
    std::vector<Finding> all;
    std::vector<Finding> repeated;  // findings on the devices in Finding::alike
};
Findings find_all(const TraceContext& context, const Thresholds& thresholds,
                  const FindingsQuery& query);
// The seconds that each rule takes, for measurements.
std::vector<std::pair<std::string_view, double>> seconds_by_rule(const TraceContext& context,
                                                                 const Thresholds& thresholds,
                                                                 const FindingsQuery& query);

}  // namespace lanescope
