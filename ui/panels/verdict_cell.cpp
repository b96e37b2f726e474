#include "ui/panels/verdict_cell.h"

#include <algorithm>
#include <array>

#include "core/pictures/flame_difference.h"
#include "ui/panels/table_cells.h"

namespace lanescope {

namespace {

constexpr float kSign = 8;         // width and height
constexpr double kReadable = 4.5;  // contrast of text

constexpr std::array kSigned = {Verdict::slower, Verdict::faster, Verdict::added,   Verdict::gone,
                                Verdict::split,  Verdict::fused,  Verdict::replaced};

ImU32 color_of(Verdict verdict, const Look& look) {
    const ClassColor color = verdict_color(verdict);
    if (color.scale == ColorScale::plain) return look.colors.hi;
    const Color panel = theme_colors(look.theme).panel;
    return with_contrast(look_of(look.theme, color).fill, panel, kReadable,
                         look.theme == Theme::dark)
        .packed();
}

void draw_sign(ImDrawList& list, Verdict verdict, ImVec2 at, float size, ImU32 color) {
    const float half = size / 2;
    const ImVec2 middle = {at.x + half, at.y + half};
    const ImVec2 top = {middle.x, at.y};
    const ImVec2 bottom = {middle.x, at.y + size};
    const ImVec2 left = {at.x, middle.y};
    const ImVec2 right = {at.x + size, middle.y};
    const float line = std::max(size / 5, 1.5f);
    switch (verdict) {
        case Verdict::slower:
            list.AddTriangleFilled(top, {at.x + size, at.y + size}, {at.x, at.y + size}, color);
            break;
        case Verdict::faster:
            list.AddTriangleFilled(at, {at.x + size, at.y}, bottom, color);
            break;
        case Verdict::added:
            list.AddLine(top, bottom, color, line);
            list.AddLine(left, right, color, line);
            break;
        case Verdict::gone:
            list.AddLine(left, right, color, line);
            break;
        default:
            list.AddQuad(top, right, bottom, left, color, std::max(size / 7, 1.0f));
    }
}

}  // namespace

void verdict_cell(const Look& look, std::string_view verdict) {
    const auto* const found = std::ranges::find(kSigned, verdict, verdict_name);
    const bool has_sign = found != kSigned.end();
    const ImU32 color = has_sign ? color_of(*found, look) : look.colors.low;
    if (has_sign) {
        const float size = look.px(kSign);
        const ImVec2 at = ImGui::GetCursorScreenPos();
        const float y = at.y + (ImGui::GetTextLineHeight() - size) / 2;
        draw_sign(*ImGui::GetWindowDrawList(), *found, {at.x, y}, size, color);
    }
    // All words begin at the same place.
    ImGui::SetCursorPosX(ImGui::GetCursorPosX() + look.px(kVerdictSignRoom));
    text_cell(look, verdict, color, verdict, Cut::end);
}

}  // namespace lanescope
