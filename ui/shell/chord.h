// Chord: a key with its modifiers, as it is pressed, shown and written in the settings.
#pragma once

#include <imgui.h>

#include <string>
#include <string_view>

#include "core/base/result.h"

namespace lanescope {

// Signs such as "/" and "?" stand on other keys in other layouts, so without Ctrl and Alt they are
// told by what they type.
struct Chord {
    ImGuiKeyChord key = 0;  // with modifiers; 0: a sign
    ImWchar character = 0;  // 0: a key

    explicit operator bool() const { return key != 0 || character != 0; }
    friend bool operator==(const Chord&, const Chord&) = default;
};

// Reads "Ctrl+Shift+P", "F12", "Alt+Left", "Alt+←", "/", "Ctrl++", in any case. The error says what
// is wrong with the text.
Result<Chord> parse_chord(std::string_view text);
// As parse_chord reads it; arrows as signs.
std::string chord_text(Chord chord);

// The same key of the keypad and of the main block, and plus with and without the Shift that some
// layouts need for it, are one.
ImGuiKeyChord plain_chord(ImGuiKeyChord pressed);
// Whether the key types a sign that is told by what it types.
bool types_a_sign(ImGuiKeyChord pressed);
// Whether a text field that is typed into leaves the key to the window: function keys, and Ctrl
// with a key that does not edit.
bool passes_text_fields(ImGuiKeyChord pressed);

}  // namespace lanescope
