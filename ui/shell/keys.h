// One table of keys: what is pressed, what it does, and the line that tells of it in the list of
// all keys.
#pragma once

#include <imgui.h>

#include <span>
#include <vector>

namespace lanescope {

enum class Action {
    none,
    open,
    frame,
    whole_trace_begin,
    whole_trace_end,
    view_back,
    view_forward,
    parent,
    child,
    previous_in_row,
    next_in_row,
    previous_in_lane,
    next_in_lane,
    flow_forward,
    flow_back,
    selection_back,
    selection_forward,
    all_alike,
    range_of_selection,
    range_of_view,
    legend,
    tables,
    statistics,
    mark,
    note,
    edit_note,
    delete_note,
    undo_note,
    save_notes,
    next_gap,
    previous_gap,
    theme,
    larger,
    smaller,
    screenshot,
    help,
    dismiss,
};

struct KeyLine {
    const char* group;
    const char* keys;  // as shown to people
    const char* does;
    Action action = Action::none;  // none: a gesture, or a key that acts while it is held
    ImGuiKeyChord chord = 0;       // 0: none, or told by its character
    ImWchar character = 0;         // for signs that stand on other keys in other layouts
};

// Every key and gesture there is, in the order of the list; lines of one group follow each other.
std::span<const KeyLine> key_lines();

// What a pressed key with its modifiers, or a typed character, asks for.
Action action_of(ImGuiKeyChord chord);
Action action_of_character(ImWchar character);
// Whether holding the key down repeats it.
bool repeats(Action action);

// The actions of the keys that were pressed, or repeat, in a frame. A quick Ctrl + O may have its
// Ctrl up again within the frame that has the O go down, so modifiers are followed event by event.
class PressedKeys {
  public:
    // Call it once a frame.
    std::vector<Action> take();

  private:
    ImGuiKeyChord modifiers_ = 0;
};

}  // namespace lanescope
