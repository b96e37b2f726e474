// Keys of a browser (KeyboardEvent) as Dear ImGui's.
#pragma once

#include <imgui.h>

#include <string_view>

namespace lanescope {

// `code`: the key's place on the keyboard; `key`: what it types or its name. Letters are taken by
// what they type, so that commands follow the layout. ImGuiKey_None: a key that the window does not
// know.
ImGuiKey imgui_key(std::string_view code, std::string_view key);

}  // namespace lanescope
