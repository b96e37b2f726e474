// The panel "Range" as JSON.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "ui/panels/range_panel.h"

namespace lanescope {

// Null while the panel shows nothing.
void RangePanel::describe(const Frame& frame, nlohmann::json& state) const {
    using nlohmann::json;
    if (!frame.timeline.index) return;
    state["range_panel"] = nullptr;
    if (!shown()) return;
    const Trace& trace = made_.context->trace();
    const RangeSummary& summary = *shown();
    constexpr std::size_t listed = 20;
    const bool names = form() == Form::names;
    json rows = json::array();
    for (std::size_t r = 0; r < std::min(listed, rows_.size()); ++r) {
        const uint32_t at = rows_[r];
        if (names) {
            const NameInRange& sum = summary.names[at];
            rows.push_back({{"name", trace.strings[sum.name]},
                            {"count", sum.count},
                            {"total", sum.total},
                            {"self", sum.self},
                            {"mean", sum.mean()}});
        } else {
            const LaneInRange& sum = summary.lanes[at];
            rows.push_back({{"lane", sum.lane}, {"count", sum.count}, {"busy", sum.busy}});
        }
    }
    json devices = json::array();
    for (const GpuInRange& gpu : summary.devices)
        devices.push_back({{"device", gpu.device}, {"busy", gpu.busy}, {"idle", gpu.idle}});
    const auto place = [](ImVec2 at) { return json{at.x, at.y}; };
    state["range_panel"] = {
        {"slices", summary.slices},
        {"devices", devices},
        {"rows", rows},
        {"row_count", rows_.size()},
        {"first_row_y", first_row_y_},
        {"forms",
         {{"names", place(form_place(Form::names))}, {"lanes", place(form_place(Form::lanes))}}}};
}

}  // namespace lanescope
