#include "ui/shell/keys.h"

#include <imgui_internal.h>

namespace lanescope {

namespace {

constexpr KeyLine kLines[] = {
    {"Move", "W  S", "zoom in and out at the cursor (Shift: faster)"},
    {"Move", "A  D", "pan to earlier and later (Shift: faster)"},
    {"Move", "Wheel", "scroll the lanes"},
    {"Move", "Shift + wheel", "pan"},
    {"Move", "Ctrl + wheel", "zoom at the cursor"},
    {"Move", "Shift, right or middle drag", "pan and scroll"},
    {"Move", "Drag on the overview", "move the window, or its edges; beside it: a new one"},
    {"Move", "Home", "to the start of the trace", Action::whole_trace_begin, ImGuiKey_Home},
    {"Move", "End", "to the end of the trace", Action::whole_trace_end, ImGuiKey_End},
    {"Move", "F", "frame the selection; again: the whole trace", Action::frame, ImGuiKey_F},
    {"Move", "Alt + ←", "the view before", Action::view_back, ImGuiMod_Alt | ImGuiKey_LeftArrow},
    {"Move", "Alt + →", "the view after", Action::view_forward, ImGuiMod_Alt | ImGuiKey_RightArrow},
    {"Select", "Click", "select a slice"},
    {"Select", "Double click", "zoom to a slice"},
    {"Select", "Drag", "mark a range of time over the lanes touched; on the ruler: over all"},
    {"Select", "Right click", "menu of a slice"},
    {"Select", "↑", "parent", Action::parent, ImGuiKey_UpArrow},
    {"Select", "↓", "first child", Action::child, ImGuiKey_DownArrow},
    {"Select", "←", "previous in the row; with nothing selected: pan", Action::previous_in_row,
     ImGuiKey_LeftArrow},
    {"Select", "→", "next in the row; with nothing selected: pan", Action::next_in_row,
     ImGuiKey_RightArrow},
    {"Select", ".", "next slice of the lane", Action::next_in_lane, 0, '.'},
    {"Select", ",", "previous slice of the lane", Action::previous_in_lane, 0, ','},
    {"Select", "]", "along the flow: from a launch to its kernel", Action::flow_forward, 0, ']'},
    {"Select", "[", "back along the flow", Action::flow_back, 0, '['},
    {"Select", "Backspace", "what was selected before", Action::selection_back, ImGuiKey_Backspace},
    {"Select", "Shift + Backspace", "what was selected after", Action::selection_forward,
     ImGuiMod_Shift | ImGuiKey_Backspace},
    {"Select", "Ctrl + Shift + A", "all like the selection; . and , step through them",
     Action::all_alike, ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_A},
    {"Select", "R", "range of the selection", Action::range_of_selection, ImGuiKey_R},
    {"Select", "Ctrl + A", "range of what is in view", Action::range_of_view,
     ImGuiMod_Ctrl | ImGuiKey_A},
    {"Select", "Esc", "close what is open; then clear the range, then the selection",
     Action::dismiss, ImGuiKey_Escape},
    {"Select", "G", "idle gaps of the GPU, the longest first", Action::next_gap, ImGuiKey_G},
    {"Select", "Shift + G", "back to the gap before", Action::previous_gap,
     ImGuiMod_Shift | ImGuiKey_G},
    {"Notes", "M", "mark the time under the pointer", Action::mark, ImGuiKey_M},
    {"Notes", "Shift + M", "note on the marked range, the selection or the time under the pointer",
     Action::note, ImGuiMod_Shift | ImGuiKey_M},
    {"Notes", "Click on its flag", "choose a note; twice: edit its text"},
    {"Notes", "Delete", "take the chosen note away", Action::delete_note, ImGuiKey_Delete},
    {"Notes", "Ctrl + Z", "bring the last one back", Action::undo_note, ImGuiMod_Ctrl | ImGuiKey_Z},
    {"Notes", "Ctrl + S", "save the notes beside the trace now", Action::save_notes,
     ImGuiMod_Ctrl | ImGuiKey_S},
    {"Window", "Ctrl + O", "open a file", Action::open, ImGuiMod_Ctrl | ImGuiKey_O},
    {"Window", "L", "legend", Action::legend, ImGuiKey_L},
    {"Window", "Q", "show or hide the tables below", Action::tables, ImGuiKey_Q},
    {"Window", "H", "statistics and histogram of what is selected", Action::statistics, ImGuiKey_H},
    {"Window", "T", "dark or light", Action::theme, ImGuiKey_T},
    {"Window", "Ctrl + +", "larger interface", Action::larger, ImGuiMod_Ctrl | ImGuiKey_Equal},
    {"Window", "Ctrl + -", "smaller interface", Action::smaller, ImGuiMod_Ctrl | ImGuiKey_Minus},
    {"Window", "F12", "save a picture of the window", Action::screenshot, ImGuiKey_F12},
    {"Window", "?  F1", "all keys", Action::help, ImGuiKey_F1, '?'},
};

}  // namespace

std::span<const KeyLine> key_lines() {
    return kLines;
}

Action action_of(ImGuiKeyChord chord) {
    // The plus of a keypad, or of a layout where it needs Shift.
    if (chord == (ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_Equal) ||
        chord == (ImGuiMod_Ctrl | ImGuiKey_KeypadAdd)) {
        return Action::larger;
    }
    if (chord == (ImGuiMod_Ctrl | ImGuiKey_KeypadSubtract)) return Action::smaller;
    for (const KeyLine& line : kLines) {
        if (line.chord != 0 && line.chord == chord) return line.action;
    }
    return Action::none;
}

Action action_of_character(ImWchar character) {
    for (const KeyLine& line : kLines) {
        if (line.character != 0 && line.character == character) return line.action;
    }
    return Action::none;
}

bool repeats(Action action) {
    return (action >= Action::parent && action <= Action::selection_forward) ||
           action == Action::larger || action == Action::smaller;
}

std::vector<Action> PressedKeys::take() {
    std::vector<Action> actions;
    const auto add = [&](Action action) {
        if (action != Action::none) actions.push_back(action);
    };
    for (const ImGuiInputEvent& event : ImGui::GetCurrentContext()->InputEventsTrail) {
        if (event.Type != ImGuiInputEventType_Key) continue;
        const ImGuiKey key = event.Key.Key;
        if ((key & ImGuiMod_Mask_) != 0) {
            modifiers_ = event.Key.Down ? modifiers_ | key : modifiers_ & ~ImGuiKeyChord{key};
        } else if (event.Key.Down) {
            add(action_of(modifiers_ | key));
        }
    }
    for (int key = ImGuiKey_NamedKey_BEGIN; key < ImGuiKey_NamedKey_END; ++key) {
        const auto named = static_cast<ImGuiKey>(key);
        if (!ImGui::IsKeyPressed(named, true) || ImGui::IsKeyPressed(named, false)) continue;
        const Action action = action_of(ImGui::GetIO().KeyMods | named);
        if (repeats(action)) add(action);
    }
    return actions;
}

}  // namespace lanescope
