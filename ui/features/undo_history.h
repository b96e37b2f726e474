// The history of what the user changed in a trace's window: view, lanes, layout, notes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/session/notes.h"
#include "core/view/lane_arrangement.h"
#include "core/view/viewport.h"

namespace lanescope {

struct UndoableState {
    Viewport view;
    LaneArrangement lanes;
    std::vector<Note> notes;
    std::string layout;  // of the panels, as text; empty: the default
};

class UndoHistory {
  public:
    static constexpr std::size_t kMaxSteps = 200;
    static constexpr double kOneMove = 1;  // seconds; moves of the view that follow sooner are one

    // Records the state while nothing moves. `inputs`: the number of the user's inputs so far,
    // since changes without an input are not the user's. `now` in seconds.
    void note(const UndoableState& state, uint64_t inputs, double now);

    struct Step {
        UndoableState state;    // to be restored
        std::string_view what;  // "view", "lanes", "notes", "layout"
    };
    // Empty: there is nothing to undo, or to redo.
    std::optional<Step> undo();
    std::optional<Step> redo();
    // Forgets everything: the lanes have other ids now.
    void clear() { *this = {}; }

  private:
    std::optional<Step> take(std::vector<Step>& from, std::vector<Step>& to);

    std::vector<Step> past_;  // each with the state before the change
    std::vector<Step> future_;
    std::optional<UndoableState> now_;
    uint64_t inputs_ = 0;
    double moved_at_ = 0;
    bool restored_ = false;  // the next state is the one that was restored
};

}  // namespace lanescope
