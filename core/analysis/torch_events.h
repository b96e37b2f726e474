// The events that torch's profiler counts, in the trees it hangs them in: what its key_averages()
// adds up. Rules of torch/autograd/profiler_util.py; docs/numbers.md, "Operators", says them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/analysis/attribution.h"
#include "core/analysis/call_tree.h"
#include "core/trace/trace.h"

namespace lanescope {

enum class TorchRow : uint8_t { cpu, annotation, device, device_annotation, python };

// What adds up below an event, or is given to it.
struct TorchSums {
    Nanos child_duration = 0;    // of the direct children
    Nanos device_self = 0;       // of the GPU activities with its id
    Nanos device_total = 0;      // and with the ids of all below it
    Nanos by_launch_self = 0;    // of the GPU activities launched inside it, in no operator below
    Nanos by_launch_total = 0;   // and in operators below
    int64_t memory[2] = {0, 0};  // bytes on the CPU, on devices, while it ran
    int64_t child_memory[2] = {0, 0};
};

struct TorchEvent {
    static constexpr uint32_t none = ~uint32_t{0};

    SliceRef slice;
    Nanos start = 0;
    Nanos duration = 0;
    StringId name = 0;             // ProfilerStep#N have one
    uint32_t operator_row = none;  // of Trace::operators
    uint32_t sums = none;          // of TorchLane::sums; none: all are 0
    TorchRow kind = TorchRow::cpu;
};

// The events of a lane that make rows, in order of start, longest first.
struct TorchLane {
    Column<TorchEvent> events;
    Column<TorchSums> sums;
};

// Names that torch folds into one: an id behind all of the pool, for "ProfilerStep*".
inline StringId folded_step_name(const Trace& trace) {
    return static_cast<StringId>(trace.strings.size());
}

// By lane.
std::vector<TorchLane> torch_lanes(const Trace& trace, std::span<const CallTree> trees,
                                   const Attribution& attribution);

// Whether Python frames count as parents of operators.
bool python_stands_in_tree(const Trace& trace);

}  // namespace lanescope
