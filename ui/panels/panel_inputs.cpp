#include "ui/panels/panel_inputs.h"

#include <algorithm>

#include "core/trace/same_slice.h"
#include "ui/frame/frame.h"

namespace lanescope {

PanelInputs timeline_inputs(Frame& frame) {
    const Timeline& timeline = frame.timeline;
    PanelInputs inputs;
    inputs.jobs = &frame.jobs;
    if (!frame.trace) return inputs;
    inputs.context = frame.trace->context();
    inputs.selected = timeline.selected;
    if (timeline.index) inputs.shown = timeline.index->trace;
    if (timeline.marked) inputs.range = timeline.marked->time;
    // Whether the slice belongs to another trace than the one that panels show.
    if (inputs.shown && inputs.selected &&
        part_of(*inputs.shown, inputs.selected.lane) != frame.trace->shown_part)
        inputs.selected = {};
    return inputs;
}

PanelInputs panel_inputs(Frame& frame) {
    PanelInputs inputs = timeline_inputs(frame);
    const Live* const live = frame.live();
    if (!live) return inputs;
    inputs.context = live->tables;
    inputs.shown = live->tables_of;
    inputs.live = true;
    inputs.selected = inputs.selected && live->tables_of
                          ? same_slice(frame.timeline.trace(), inputs.selected, *live->tables_of)
                          : SliceRef{};
    return inputs;
}

std::vector<LaneId> marked_lanes(const Frame& frame) {
    const Timeline& timeline = frame.timeline;
    if (!timeline.marked) return {};
    const Live* const live = frame.live();
    if (!live || !live->tables_of) return timeline.marked->lanes;
    std::vector<LaneId> lanes;
    for (const LaneId id : timeline.marked->lanes)
        if (const auto lane = same_lane(timeline.trace(), id, *live->tables_of))
            lanes.push_back(*lane);
    std::ranges::sort(lanes);
    return lanes;
}

const char* why_nothing_to_show(const PanelInputs& inputs) {
    return inputs.live ? "Updated every few seconds during a recording; for a large file when the "
                         "recording has ended."
                       : "Open a trace to fill this panel.";
}

void draw_part_choice(Frame& frame) {
    const LoadedTrace* const loaded = frame.loaded();
    if (!loaded || loaded->parts.size() < 2) return;
    const Look& look = frame.look;
    const std::vector<TracePart>& parts = loaded->whole->parts;
    const uint32_t shown = frame.trace->shown_part;
    ImGui::PushFont(look.fonts.regular, type::kTable);
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {look.px(8), look.px(3)});
    ImGui::SetNextItemWidth(look.px(110));
    if (ImGui::BeginCombo("##of", parts[shown].name.c_str())) {
        for (uint32_t i = 0; i < parts.size(); ++i)
            if (ImGui::Selectable(parts[i].name.c_str(), i == shown)) frame.show_part(i);
        ImGui::EndCombo();
    }
    ImGui::SetItemTooltip("The trace that panels show");
    ImGui::PopStyleVar();
    ImGui::PopFont();
}

}  // namespace lanescope
