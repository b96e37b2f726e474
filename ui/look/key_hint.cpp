#include "ui/look/key_hint.h"

#include <algorithm>

namespace lanescope {

namespace {

constexpr float kAround = 8;

}  // namespace

void draw_key_hint(const std::string& words, ImVec2 middle, const Look& look) {
    ImDrawList& list = *ImGui::GetForegroundDrawList(ImGui::GetMainViewport());
    const float around = look.px(kAround);
    const float width = text_width(look, look.fonts.regular, type::kTable, words);
    const float height = look.px(type::kTable);
    const ImVec2 screen = ImGui::GetMainViewport()->Size;
    const float x = std::clamp(middle.x - width / 2, 2 * around,
                               std::max(2 * around, screen.x - width - 2 * around));
    const float y = middle.y - height / 2;
    const ImVec2 min{x - around, y - around};
    const ImVec2 max{x + width + around, y + height + around};
    list.AddRectFilled(min, max, look.colors.raised, look.px(5));
    list.AddRect(min, max, look.colors.accent, look.px(5));
    list.AddText(look.fonts.regular, look.px(type::kTable), {x, y}, look.colors.hi, words.c_str());
}

}  // namespace lanescope
