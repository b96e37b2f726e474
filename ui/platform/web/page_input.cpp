#include "ui/platform/web/page_input.h"

#include <imgui.h>

#include <cfloat>

#include "ui/platform/web/keys.h"
#include "ui/platform/web/page.h"
#include "ui/platform/web/run_page.h"

namespace lanescope {

namespace {

void take_modifiers(int modifiers) {
    ImGuiIO& io = ImGui::GetIO();
    io.AddKeyEvent(ImGuiMod_Shift, (modifiers & 1) != 0);
    io.AddKeyEvent(ImGuiMod_Ctrl, (modifiers & 2) != 0);
    io.AddKeyEvent(ImGuiMod_Alt, (modifiers & 4) != 0);
    io.AddKeyEvent(ImGuiMod_Super, (modifiers & 8) != 0);
}

}  // namespace

void page_pointer(float x, float y) {
    ImGui::GetIO().AddMousePosEvent(x, y);
    page_pacing().wake();
}

void page_pointer_left() {
    ImGui::GetIO().AddMousePosEvent(-FLT_MAX, -FLT_MAX);
    page_pacing().wake();
}

void page_button(int button, bool down) {
    // The browser's order is left, middle, right.
    const int number = button == 1 ? 2 : button == 2 ? 1 : button;
    if (number < 0 || number >= ImGuiMouseButton_COUNT) return;
    ImGui::GetIO().AddMouseButtonEvent(number, down);
    page_pacing().take_input();
}

// A browser reports two fingers that spread as a wheel with Ctrl, which no key holds.
void page_wheel(float across, float along, int modifiers) {
    take_modifiers(modifiers);
    ImGui::GetIO().AddMouseWheelEvent(across, along);
    page_pacing().take_input();
}

void page_key(const std::string& code, const std::string& key, bool down, int modifiers) {
    take_modifiers(modifiers);
    const ImGuiKey known = imgui_key(code, key);
    if (known != ImGuiKey_None) ImGui::GetIO().AddKeyEvent(known, down);
    page_pacing().take_input();
}

void page_text(const std::string& text) {
    ImGui::GetIO().AddInputCharactersUTF8(text.c_str());
    page_pacing().wake();
}

void page_clipboard(const std::string& text) {
    page_state().clipboard = text;
}

void page_focus(bool focused) {
    ImGui::GetIO().AddFocusEvent(focused);
    page_pacing().wake();
}

void page_dark(bool dark) {
    if (page_state().dark == dark) return;
    page_state().dark = dark;
    if (page_state().changed) page_state().changed();
}

void page_chooser_closed() {
    page_state().chooser_open = false;
}

}  // namespace lanescope
