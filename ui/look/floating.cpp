#include "ui/look/floating.h"

#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace lanescope {

namespace {

constexpr ImGuiWindowFlags kCard = ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoDocking |
                                   ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoSavedSettings |
                                   ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoTitleBar |
                                   ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoNav;

void begin_card(const Look& look) {
    ImGui::PushStyleColor(ImGuiCol_WindowBg, look.colors.raised);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {look.px(16), look.px(12)});
}

void end_card() {
    ImGui::End();
    ImGui::PopStyleVar(2);
    ImGui::PopStyleColor();
}

}  // namespace

void open_popup(const char* name, const std::optional<ImVec2>& at) {
    ImGui::OpenPopup(name);
    if (!at) return;
    ImGui::GetCurrentContext()->OpenPopupStack.back().OpenPopupPos = *at;
    ImGui::SetNavCursorVisible(true);
}

ToastAnswer draw_toast(const std::string& message, const Look& look) {
    constexpr float kWidest = 720;
    constexpr float kAboveEdge = 40;
    const ImVec2 size = ImGui::GetMainViewport()->Size;
    const float max_width = std::min(look.px(kWidest), size.x - look.px(48));
    const float text = text_width(look, look.fonts.regular, type::kText, message);
    ImGui::SetNextWindowPos({std::round(size.x / 2), size.y - look.px(kAboveEdge)},
                            ImGuiCond_Always, {0.5f, 1});
    ImGui::SetNextWindowSize({std::min(max_width, text + look.px(33)), 0});
    begin_card(look);
    ImGui::Begin("##toast", nullptr, kCard & ~ImGuiWindowFlags_AlwaysAutoResize);
    ImGui::PushTextWrapPos(0);
    ImGui::TextUnformatted(message.data(), message.data() + message.size());
    ImGui::PopTextWrapPos();
    const bool held = ImGui::IsWindowHovered();
    const bool clicked = held && ImGui::IsMouseReleased(0);
    end_card();
    return clicked ? ToastAnswer::dismissed : held ? ToastAnswer::held : ToastAnswer::none;
}

}  // namespace lanescope
