// Chord: a key with its modifiers, as pressed, displayed and written in the settings.
#pragma once

#include <imgui.h>

#include <string>
#include <string_view>

#include "core/base/result.h"

namespace lanescope {

// The keys of symbols such as "/" and "?" depend on the keyboard layout, so without Ctrl and Alt
// they are identified by the typed character.
struct Chord {
    ImGuiKeyChord key = 0;  // with modifiers; 0: a sign
    ImWchar character = 0;  // 0: a key

    explicit operator bool() const { return key != 0 || character != 0; }
    friend bool operator==(const Chord&, const Chord&) = default;
};

// Parses "Ctrl+Shift+P", "F12", "Alt+Left", "Alt+←", "/", "Ctrl++", ignoring case. The error says
// what is wrong with the text.
Result<Chord> parse_chord(std::string_view text);
// In the syntax of parse_chord(), with symbols for arrows.
std::string chord_text(Chord chord);

// Unifies keys of the keypad and of the main block, and plus with and without the Shift that some
// layouts need.
ImGuiKeyChord plain_chord(ImGuiKeyChord pressed);
// Whether the key types a symbol that is identified by its character.
bool types_a_sign(ImGuiKeyChord pressed);
// Whether a focused text field leaves the key to the window: function keys, and Ctrl with keys that
// do not edit.
bool passes_text_fields(ImGuiKeyChord pressed);

}  // namespace lanescope
