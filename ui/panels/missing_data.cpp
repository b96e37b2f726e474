#include "ui/panels/missing_data.h"

#include <algorithm>

#include "core/session/compile_artifacts.h"

namespace lanescope {

namespace {

bool has_event_class(const Trace& trace, EventClass wanted) {
    return std::ranges::any_of(trace.categories,
                               [&](const Category& c) { return c.event_class == wanted; });
}

bool has_modules(const Trace& trace) {
    return std::ranges::any_of(trace.name_traits,
                               [](uint8_t traits) { return (traits & kModuleFrame) != 0; });
}

// The data that a panel needs in the trace, and the message if the trace lacks it.
struct Need {
    std::string_view panel;
    bool (*is_met)(const Trace&);
    std::string_view why_not;
};

constexpr std::string_view kNoGpu =
    "The trace has no GPU activity: with PyTorch's profiler, record it with ProfilerActivity.CUDA.";

bool has_gpu(const Trace& trace) {
    return !trace.gpu_activities.slice.empty();
}
bool has_operators(const Trace& trace) {
    return has_event_class(trace, EventClass::op);
}

constexpr std::string_view kNoSlices = "The trace has no slices of calls.";
bool has_slices(const Trace& trace) {
    return std::ranges::any_of(trace.lanes, [](const Lane& lane) { return lane.slice_count > 0; });
}

bool has_calls(const Trace& trace) {
    return std::ranges::any_of(trace.lanes, [](const Lane& lane) {
        return lane.slice_count > 0 && lane.kind != LaneKind::samples;
    });
}

bool has_compiled_code(const Trace& trace) {
    return trace.compiled_code || runs_compiled_code(trace);
}

constexpr Need kNeeds[] = {
    {"Hotspots", has_gpu, kNoGpu},
    {"Kernels", has_gpu, kNoGpu},
    {"Gaps", has_gpu, kNoGpu},
    {"Launches", has_gpu, kNoGpu},
    {"Breakdown", has_gpu, kNoGpu},
    {"Operators", has_operators, "The trace has no operators of a framework."},
    {"Models", has_operators, "The trace has no operators of a framework."},
    {"Roofline", has_operators, "The trace has no operators of a framework."},
    {"Compile", has_compiled_code,
     "The trace runs no code of torch.compile that is known. Open a log of TORCH_TRACE with it."},
    {"Modules", has_modules,
     "The trace has no calls of nn.Module: with PyTorch's profiler, record it with with_stack."},
    {"Samples", [](const Trace& trace) { return !trace.sampled_calls.slice.empty(); },
     "The trace has no samples: lanescope record --sample makes them."},
    {"Memory", [](const Trace& trace) { return !trace.memory_events.time.empty(); },
     "The trace has no allocations: with PyTorch's profiler, record it with profile_memory."},
    {"Slices", has_calls, kNoSlices},
    {"Flame graph", has_slices, kNoSlices},
    {"Statistics", has_slices, kNoSlices},
    {"Warnings", [](const Trace& trace) { return !trace.warnings.empty(); },
     "Nothing in this file deserves a warning."},
};

}  // namespace

std::string_view missing_data(std::string_view panel, const Trace& trace) {
    for (const Need& need : kNeeds)
        if (need.panel == panel && !need.is_met(trace)) return need.why_not;
    return {};
}

}  // namespace lanescope
