#include "ui/features/undo.h"

#include <string>

#include "ui/features/undo_history.h"
#include "ui/timeline/notes_layer.h"

namespace lanescope {

namespace {

UndoHistory& history_in(Frame& frame) {
    return frame.trace->state.get<UndoHistory>();
}

void restore(const UndoableState& state, Frame& frame) {
    Timeline& timeline = frame.timeline;
    arrange(timeline, [&](LaneArrangement& lanes) { lanes = state.lanes; });
    auto& layer = timeline.layer<NotesLayer>();
    if (layer.notes != state.notes) {
        layer.notes = state.notes;
        layer.chosen.reset();
    }
    move_to(timeline, state.view);
    if (frame.layout.text != state.layout) frame.layout.wanted = state.layout;
}

}  // namespace

std::span<const Action> UndoFeature::actions() const {
    static constexpr Action kActions[] = {Action::undo, Action::redo};
    return kActions;
}

void UndoFeature::act(Action action, Frame& frame) {
    const bool undoes = action == Action::undo;
    std::optional<UndoHistory::Step> step;
    if (frame.trace && frame.timeline.index)
        step = undoes ? history_in(frame).undo() : history_in(frame).redo();
    if (!step) {
        frame.notify(undoes ? "Nothing to undo." : "Nothing to redo.");
        return;
    }
    restore(step->state, frame);
    const std::string other = keys_of(frame.keys, undoes ? Action::redo : Action::undo);
    frame.notify((undoes ? "Undone: change of " : "Redone: change of ") + std::string(step->what) +
                 (other.empty() ? "." : ". " + other + (undoes ? " redoes it." : " undoes it.")));
}

void UndoFeature::replacing(const ViewIndexPtr& /*next*/, Frame& frame) {
    if (frame.trace) history_in(frame).clear();
}

void UndoFeature::follow(Frame& frame) {
    const Timeline& timeline = frame.timeline;
    if (!frame.trace || !timeline.index || frame.live() || frame.trace->loading()) return;
    if (timeline.camera.moving() || ImGui::IsAnyMouseDown() || frame.layout.wanted) return;
    history_in(frame).note({timeline.camera.view(), timeline.arrangement,
                            timeline.layer<NotesLayer>().notes, frame.layout.text},
                           frame.pacing.inputs(), frame.now);
}

}  // namespace lanescope
