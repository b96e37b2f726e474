#include "ui/look/dialog_parts.h"

#include <algorithm>

namespace lanescope {

bool begin_dialog(const Look& look, const char* title, float width) {
    const ImGuiViewport& window = *ImGui::GetMainViewport();
    ImGui::SetNextWindowSize({std::min(look.px(width), window.Size.x - look.px(32)), 0},
                             ImGuiCond_Always);
    ImGui::SetNextWindowPos(window.GetCenter(), ImGuiCond_Always, {0.5f, 0.5f});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
    const bool open = ImGui::BeginPopupModal(
        title, nullptr,
        ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings);
    ImGui::PopStyleVar();
    return open;
}

void dialog_label(const Look& look, const char* text) {
    ImGui::AlignTextToFramePadding();
    ImGui::PushStyleColor(ImGuiCol_Text, look.colors.mid);
    ImGui::TextUnformatted(text);
    ImGui::PopStyleColor();
    ImGui::SameLine(look.px(kDialogLabel));
}

void dialog_text(ImU32 color, const std::string& text) {
    ImGui::PushStyleColor(ImGuiCol_Text, color);
    ImGui::PushTextWrapPos(0);
    ImGui::TextUnformatted(text.data(), text.data() + text.size());
    ImGui::PopTextWrapPos();
    ImGui::PopStyleColor();
}

bool dialog_choice(const Look& look, const char* text, bool chosen) {
    ImGui::PushStyleColor(ImGuiCol_Button, chosen
                                               ? mixed(look.colors.raised, look.colors.accent, 0.3f)
                                               : look.colors.raised);
    const bool clicked = ImGui::Button(text);
    ImGui::PopStyleColor();
    return clicked;
}

}  // namespace lanescope
