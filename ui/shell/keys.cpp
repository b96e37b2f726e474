#include "ui/shell/keys.h"

namespace lanescope {

namespace {

constexpr KeyLine kLines[] = {
    {"Move", "W  S", "zoom in and out at the cursor (Shift: faster)"},
    {"Move", "A  D", "pan to earlier and later (Shift: faster)"},
    {"Move", "Wheel", "scroll the lanes"},
    {"Move", "Shift + wheel", "pan"},
    {"Move", "Ctrl + wheel", "zoom at the cursor"},
    {"Move", "Shift, right or middle drag", "pan and scroll"},
    {"Move", "Drag on the overview", "move the window; its edges resize it; beside it draws a new one"},
    {"Move", "Home", "to the start of the trace", ImGuiKey_Home, Action::whole_trace_begin},
    {"Move", "End", "to the end of the trace", ImGuiKey_End, Action::whole_trace_end},
    {"Move", "F", "frame the selection; again: the whole trace", ImGuiKey_F, Action::frame},
    {"Move", "Alt + ←", "the view before", ImGuiMod_Alt | ImGuiKey_LeftArrow, Action::view_back},
    {"Move", "Alt + →", "the view after", ImGuiMod_Alt | ImGuiKey_RightArrow, Action::view_forward},
    {"Select", "Click", "select a slice"},
    {"Select", "Double click", "zoom to a slice"},
    {"Select", "Drag", "select a range of time"},
    {"Select", "↑", "parent", ImGuiKey_UpArrow, Action::parent},
    {"Select", "↓", "first child", ImGuiKey_DownArrow, Action::child},
    {"Select", "←", "previous in the row; with nothing selected: pan", ImGuiKey_LeftArrow,
     Action::previous_in_row},
    {"Select", "→", "next in the row; with nothing selected: pan", ImGuiKey_RightArrow, Action::next_in_row},
    {"Select", ".", "next slice of the lane", ImGuiKey_Period, Action::next_in_lane},
    {"Select", ",", "previous slice of the lane", ImGuiKey_Comma, Action::previous_in_lane},
    {"Select", "]", "along the flow: from a launch to its kernel", ImGuiKey_RightBracket, Action::flow_forward},
    {"Select", "[", "back along the flow", ImGuiKey_LeftBracket, Action::flow_back},
    {"Select", "R", "range of the selection", ImGuiKey_R, Action::range_of_selection},
    {"Select", "Ctrl + A", "range of what is in view", ImGuiMod_Ctrl | ImGuiKey_A, Action::range_of_view},
    {"Select", "Esc", "close what is open, then clear the range, then the selection", ImGuiKey_Escape,
     Action::dismiss},
    {"Window", "Ctrl + O", "open a file", ImGuiMod_Ctrl | ImGuiKey_O, Action::open},
    {"Window", "L", "legend", ImGuiKey_L, Action::legend},
    {"Window", "Q", "show or hide the tables below", ImGuiKey_Q, Action::tables},
    {"Window", "T", "dark or light", ImGuiKey_T, Action::theme},
    {"Window", "Ctrl + +", "larger interface", ImGuiMod_Ctrl | ImGuiKey_Equal, Action::larger},
    {"Window", "Ctrl + −", "smaller interface", ImGuiMod_Ctrl | ImGuiKey_Minus, Action::smaller},
    {"Window", "F12", "save a picture of the window", ImGuiKey_F12, Action::screenshot},
    {"Window", "?", "all keys", ImGuiMod_Shift | ImGuiKey_Slash, Action::help},
};

}  // namespace

std::span<const KeyLine> key_lines() { return kLines; }

Action action_of(ImGuiKeyChord chord) {
    // The plus of a keypad, or of a layout where it needs Shift.
    if (chord == (ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_Equal) ||
        chord == (ImGuiMod_Ctrl | ImGuiKey_KeypadAdd)) {
        return Action::larger;
    }
    if (chord == (ImGuiMod_Ctrl | ImGuiKey_KeypadSubtract)) return Action::smaller;
    if (chord == ImGuiKey_F1) return Action::help;
    for (const KeyLine& line : kLines) {
        if (line.chord != 0 && line.chord == chord) return line.action;
    }
    return Action::none;
}

}  // namespace lanescope
