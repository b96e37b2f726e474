#include "ui/panels/link.h"

#include <algorithm>

namespace lanescope {

bool draw_link(const Look& look, ImVec2 at, const char* id, std::string_view text, float width,
               ImFont* font) {
    const float height = look.px(kLinkHeight);
    const float shown = std::min(width, text_width(look, font, type::kTable, text));
    ImDrawList& list = *ImGui::GetWindowDrawList();
    ImGui::SetCursorScreenPos(at);
    const bool clicked =
        ImGui::InvisibleButton(id, {std::max(shown, 1.0f), height}, ImGuiButtonFlags_EnableNav);
    const bool hot = ImGui::IsItemHovered();
    if (hot) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    const float y = text_y(look, type::kTable, at.y, height);
    draw_text_cut(list, look, font, type::kTable, {at.x, y}, look.colors.accent, text, width);
    if (hot) {
        const float underline_y = y + type::kTable * look.scale;
        list.AddRectFilled({at.x, underline_y}, {at.x + shown, underline_y + 1},
                           look.colors.accent);
    }
    return clicked;
}

}  // namespace lanescope
