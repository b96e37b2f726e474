// Surfaces that float over the window: messages and popups.
#pragma once

#include <imgui.h>

#include <optional>
#include <string>

#include "ui/look/theme.h"

namespace lanescope {

enum class ToastAnswer { none, held, dismissed };
// A message near the lower edge. Stays while the pointer is over it; a click dismisses it.
ToastAnswer draw_toast(const std::string& message, const Look& look);
// Opens a popup of Dear ImGui: by a key, at a given place with its first line chosen; by the mouse,
// at the pointer.
void open_popup(const char* name, const std::optional<ImVec2>& at);

}  // namespace lanescope
