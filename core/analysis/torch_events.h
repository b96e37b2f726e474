// The events that torch's profiler counts, in the trees it hangs them in: what its key_averages()
// adds up. Rules of torch/autograd/profiler_util.py; docs/numbers.md, "Operators", says them.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/analysis/context.h"
#include "core/trace/trace.h"

namespace lanescope {

enum class TorchRow : uint8_t { cpu, annotation, device, device_annotation, python };

struct TorchEvent {
    static constexpr uint32_t none = ~uint32_t{0};

    SliceRef slice;
    Nanos start = 0;
    Nanos duration = 0;
    uint64_t source = 0;  // byte offset in the file: the order of events that begin and end alike
    StringId name = 0;    // ProfilerStep#N have one
    TorchRow kind = TorchRow::cpu;
    bool merged = false;           // into its parent of the same name
    uint32_t operator_row = none;  // of Trace::operators
    uint32_t parent = none;
    uint32_t first_child = none;
    uint32_t next_sibling = none;
    uint32_t child_count = 0;
    Nanos child_duration = 0;    // of the direct children
    Nanos device_self = 0;       // of the GPU activities with its id
    Nanos device_total = 0;      // and with the ids of all below it
    Nanos by_launch_self = 0;    // of the GPU activities launched inside it, in no operator below
    Nanos by_launch_total = 0;   // and in operators below
    int64_t memory[2] = {0, 0};  // bytes on the CPU, on devices, while it ran
    int64_t child_memory[2] = {0, 0};
};

// Names that torch folds into one: an id behind all of the pool, for "ProfilerStep*".
inline StringId folded_step_name(const Trace& trace) {
    return static_cast<StringId>(trace.strings.size());
}

// Calls visit(events) once for each lane that has any, events in order of start, longest first.
void visit_torch_events(const TraceContext& context,
                        const std::function<void(std::vector<TorchEvent>&)>& visit);

// Whether Python frames count as parents of operators.
bool python_stands_in_tree(const Trace& trace);

}  // namespace lanescope
