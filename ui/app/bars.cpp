#include "ui/app/bars.h"

namespace lanescope {

namespace {

constexpr ImGuiWindowFlags kFixed = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                    ImGuiWindowFlags_NoDocking | ImGuiWindowFlags_NoSavedSettings |
                                    ImGuiWindowFlags_NoBringToFrontOnFocus |
                                    ImGuiWindowFlags_NoNavFocus | ImGuiWindowFlags_NoBackground;

void begin_bar(const char* name, ImVec2 at, ImVec2 size) {
    ImGui::SetNextWindowPos(at);
    ImGui::SetNextWindowSize(size);
    ImGui::Begin(name, nullptr, kFixed);
}

}  // namespace

void draw_bars(Features& features, const WindowFiles& files, Frame& frame) {
    const Look& look = frame.look;
    const ImVec2 size = ImGui::GetMainViewport()->Size;
    const float top = look.px(kTopBar);
    const float bottom = size.y - look.px(kStatusBar);
    frame.canvas.background({0, 0}, {size.x, top}, look.colors.panel);
    frame.canvas.background({0, bottom}, size, look.colors.raised);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
    begin_bar("##top", {0, 0}, {size.x, top});
    draw_top_bar(features, files, frame);
    ImGui::End();
    begin_bar("##status", {0, bottom}, {size.x, size.y - bottom});
    draw_status_bar(frame);
    ImGui::End();
    begin_bar("##dock", {0, top}, {size.x, bottom - top});
    features.workspace.draw_dock(frame);
    ImGui::End();
    ImGui::PopStyleVar(2);
}

}  // namespace lanescope
