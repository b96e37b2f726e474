#include "ui/panels/selection_panel.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "ui/commands/panel_names.h"
#include "ui/panels/gap_panel.h"
#include "ui/panels/selection.h"

namespace lanescope {

namespace {

// The gap that is described instead of a selection; null: none.
const WalkedGap* described_gap(const Frame& frame) {
    const DescribedGap* const described = frame.loaded() && !frame.timeline.selected
                                              ? frame.loaded()->state.find<DescribedGap>()
                                              : nullptr;
    return described && described->walked ? &*described->walked : nullptr;
}

nlohmann::json json_of(const SliceModel& model) {
    nlohmann::json result = {{"why_not", no_model_reason(model.why)},
                             {"flop", nullptr},
                             {"bytes", nullptr},
                             {"floor_ns", nullptr},
                             {"bound", work_bound_name(model.bound)},
                             {"planned", model.planned},
                             {"uncertain", model.uncertain}};
    if (model.flop != kNoValue) result["flop"] = model.flop;
    if (model.bytes != kNoValue) result["bytes"] = model.bytes;
    if (!std::isnan(model.floor_ns)) result["floor_ns"] = model.floor_ns;
    return result;
}

}  // namespace

std::string_view SelectionPanel::name() const {
    return kSelectionPanel;
}

void SelectionPanel::follow(Frame& frame) {
    const PanelInputs inputs = panel_inputs(frame);
    siblings_.follow(inputs);
    model_.follow(timeline_inputs(frame));
    story_.follow(inputs, frame.live() ? JobQueue::analysis : JobQueue::quick);
    Timeline& timeline = frame.timeline;
    if (frame.live() || timeline.landmarks == story_.landmarks()) return;
    timeline.landmarks = story_.landmarks();
    timeline.landmark_places.clear();
    frame.pacing.wake();
}

void SelectionPanel::draw(Frame& frame) {
    const Timeline& timeline = frame.timeline;
    const Trace* const trace = timeline.index ? &timeline.trace() : nullptr;
    const WalkedGap* const gap = described_gap(frame);
    if (gap) {
        draw_gap(*trace, *gap, frame.look, frame.requests);
        return;
    }
    const DescribedSlice& described = frame.trace->state.get<DescribedSlice>();
    draw_selection(trace, described.facts, described.arguments,
                   frame.live() ? nullptr : siblings_.get(), model_.get(), frame.look,
                   frame.requests);
    if (!timeline.selected) story_.draw(frame.look, frame.requests);
}

void SelectionPanel::forget() {
    siblings_.clear();
    model_.clear();
}

void SelectionPanel::describe(const Frame& frame, nlohmann::json& state) const {
    using nlohmann::json;
    state["story"] = frame.timeline.selected ? json() : json(story_.sentences());
    if (!frame.timeline.index) return;
    state["model"] = model_.get() ? json_of(*model_.get()) : json();
}

}  // namespace lanescope
