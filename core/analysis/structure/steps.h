// Steps: the iterations of a training or inference loop.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/intervals.h"
#include "core/trace/trace.h"

namespace lanescope {

class TraceContext;

// What the steps were found by.
enum class StepSource : uint8_t {
    none,
    profiler,     // ProfilerStep#N
    annotation,   // most frequent outermost user annotation, with at least three occurrences
    data_loader,  // calls into PyTorch's data loader
    optimizer,    // "Optimizer.step#…"
    operators,    // detected: a repeating sequence of operators
};
std::string_view step_source_name(StepSource source);  // empty when none

struct Step {
    StringId name = 0;     // name of the annotation, call or operator that the step was found by
    int64_t index = 0;     // N of ProfilerStep#N, else counted from 0
    uint32_t process = 0;  // row of Trace::processes
    TimeRange range;       // absolute; on the CPU unless `by_work`
    SliceRef slice;        // none if no slice has that range
    SliceRef mark;         // the annotation that the step was found by; none: something else
    // It ends with the GPU work that was launched in it: its annotation only times the dispatch.
    bool by_work = false;
    // A profiler may record several windows of a run. Steps of one window follow each other without
    // a missing number; windows are counted from 1 in each process.
    uint32_t window = 1;
    bool repeated = false;  // another step of its process has the same index, in another window

    // Whether its range is that of an annotation, or a period from one mark to another.
    std::string_view definition() const { return mark && !by_work ? "annotation" : "period"; }
};

struct Steps {
    StepSource source = StepSource::none;
    std::vector<Step> all;  // by (process, begin)

    // The process's step that contains `t`, or kNoRow.
    uint32_t at(uint32_t process, Nanos t) const;

    static Steps compute(const TraceContext& context);
};

// Equivalent to Steps::at(); fast for times that mostly lie in the same step as the time before.
class StepCursor {
  public:
    explicit StepCursor(const Steps& steps) : steps_(&steps) {}

    uint32_t at(uint32_t process, Nanos t) {
        if (process != process_ || t < begin_ || t >= end_) look_up(process, t);
        return step_;
    }

  private:
    void look_up(uint32_t process, Nanos t);

    const Steps* steps_;
    // Between begin_ and end_, step_ is the step of this process (or none).
    uint32_t step_ = kNoRow;
    uint32_t process_ = kNoRow;
    Nanos begin_ = 0;
    Nanos end_ = 0;
};

Steps find_steps(const Trace& trace);

// The time between the recorded windows of a process: it belongs to no step, and the profiler did
// not record it.
Intervals between_windows(const Steps& steps, uint32_t process);

// "ProfilerStep#4"; "ProfilerStep#4@2" in the second recorded window, if several have this step;
// "step 3" for steps without a name of their own.
std::string step_label(const Trace& trace, const Steps& steps, uint32_t step);

// The same, with the process if several have steps: "ProfilerStep#4 of RANK 1 - CPU".
std::string full_step_label(const Trace& trace, const Steps& steps, uint32_t step);

// 12 for "ProfilerStep#12"; -1 if the name is not one of the profiler's.
int64_t profiler_step_index(std::string_view name);

// PyTorch's annotation of a call into its data loader.
bool is_data_loading(std::string_view name);

}  // namespace lanescope
