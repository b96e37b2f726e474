// Input of the page for Dear ImGui. Places are in pixels of the screen.
#pragma once

#include <string>

namespace lanescope {

void page_pointer(float x, float y);
void page_pointer_left();
void page_button(int button, bool down);  // as MouseEvent.button
// `modifiers`: 1 Shift, 2 Ctrl, 4 Alt, 8 Meta.
void page_wheel(float across, float along, int modifiers);  // in notches; positive: left and up
void page_key(const std::string& code, const std::string& key, bool down, int modifiers);
void page_text(const std::string& text);
void page_clipboard(const std::string& text);
void page_focus(bool focused);
void page_dark(bool dark);
void page_chooser_closed();

}  // namespace lanescope
