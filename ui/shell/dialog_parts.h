// What the dialogs of the window have in common.
#pragma once

#include <imgui.h>

#include <string>

#include "ui/shell/theme.h"

namespace lanescope {

inline constexpr float kDialogLabel = 84;  // width of the names in front of fields, unscaled pixels

// The name of a field, which goes on the same line.
void dialog_label(const Look& look, const char* text);
// Text that goes on in the next line at the end of the window.
void dialog_text(ImU32 color, const std::string& text);
// A word to choose by one click, lit when it is chosen. True when it was clicked.
bool dialog_choice(const Look& look, const char* text, bool chosen);

}  // namespace lanescope
