// Building blocks of the window's dialogs.
#pragma once

#include <imgui.h>

#include <string>

#include "ui/look/theme.h"

namespace lanescope {

inline constexpr float kDialogLabel = 84;  // width of field names in unscaled pixels

// Begins a modal dialog in the middle of the window, at most `width` unscaled pixels wide. True if
// the dialog is open: the caller then draws it and calls ImGui::EndPopup().
bool begin_dialog(const Look& look, const char* title, float width);
// The name of a field on the same line.
void dialog_label(const Look& look, const char* text);
// Text wrapped at the edge of the window.
void dialog_text(ImU32 color, const std::string& text);
// A word that is chosen by a click, highlighted if chosen. True if it was clicked.
bool dialog_choice(const Look& look, const char* text, bool chosen);

}  // namespace lanescope
