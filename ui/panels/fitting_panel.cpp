#include "ui/panels/fitting_panel.h"

#include <algorithm>

namespace lanescope {

std::string_view fitting_panel(const Trace& trace) {
    if (!trace.gpu_activities.slice.empty()) return kFirstTable;
    const auto is_operator = [](const Category& c) { return c.event_class == EventClass::op; };
    if (std::ranges::any_of(trace.categories, is_operator)) return "Operators";
    return trace.sampled_calls.slice.empty() ? "Slices" : "Samples";
}

}  // namespace lanescope
