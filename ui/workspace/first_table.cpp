#include "ui/workspace/first_table.h"

#include <algorithm>

namespace lanescope {

namespace {

bool has_shapes(const Trace& trace) {
    return std::ranges::any_of(trace.operators.input_dims.span(), [&](StringId dims) {
        return trace.strings[dims].find_first_of("0123456789") != std::string_view::npos;
    });
}

}  // namespace

std::string_view fitting_panel(const Trace& trace) {
    // Without shapes, the models of work know little of what hotspots lose.
    if (!trace.gpu_activities.slice.empty())
        return has_shapes(trace) ? kFirstPanel : std::string_view("Kernels");
    // Calls without times are stacks of allocations.
    if (!trace.facts.calls_have_times && !trace.memory_events.time.empty()) return "Memory";
    if (trace.compiled_code) return "Compile";
    const auto is_operator = [](const Category& c) { return c.event_class == EventClass::op; };
    if (std::ranges::any_of(trace.categories, is_operator)) return "Operators";
    if (!trace.sampled_calls.slice.empty()) return "Samples";
    const auto has_slices = [](const Lane& lane) { return lane.slice_count > 0; };
    return std::ranges::any_of(trace.lanes, has_slices) ? "Slices" : "Lanes";
}

std::optional<std::string_view> FirstTable::due_panel(const Trace& trace,
                                                      std::span<const std::string> in_front) {
    due_ = false;
    const auto is_ours = [&](std::string_view panel) {
        return group_of_panel(panel) == group_of_panel(kFirstPanel) ||
               (!stand_in_.empty() && panel == stand_in_);
    };
    const std::string_view fitting = fitting_panel(trace);
    if (chosen_ == kFirstPanel || !std::ranges::any_of(in_front, is_ours)) return std::nullopt;
    stand_in_ = fitting == kFirstPanel ? std::string_view() : fitting;
    return fitting;
}

void FirstTable::leave_out(PanelLayout& layout) const {
    if (stand_in_.empty()) return;
    put_in_front(layout.docked, group_of_panel(kFirstPanel)->window,
                 group_of_panel(stand_in_)->window);
}

}  // namespace lanescope
