// The look in Dear ImGui's terms: packed colours, fonts and sizes at the interface's scale.
#pragma once

#include <imgui.h>

#include <array>
#include <cmath>
#include <string_view>

#include "core/trace/category.h"
#include "core/view/color.h"

namespace lanescope {

// Packed colours of one theme.
struct Colors {
    ImU32 bg, panel, raised, line, line2, hi, mid, low, accent, waiting, costs, fine;
    // By event class: a slice's fill, its edge (the fill in the dark theme), the text on it, and
    // marks directly on the background.
    std::array<ImU32, kEventClassCount> fill, edge, text, mark;
};
Colors packed_colors(Theme theme);

// The same colour with another opacity in [0, 1].
ImU32 with_alpha(ImU32 color, float alpha);
// `a` at t = 0, `b` at t = 1; opaque.
ImU32 mixed(ImU32 a, ImU32 b, float t);

struct Fonts {
    ImFont* regular = nullptr;
    ImFont* medium = nullptr;
    ImFont* mono = nullptr;
};

// Type sizes in Dear ImGui's units (ascent to descent, 1.17 of a designer's em).
namespace type {
inline constexpr float kText = 15.25f;      // 13
inline constexpr float kTable = 14.0f;      // 12
inline constexpr float kSecondary = 13.0f;  // 11
inline constexpr float kName = 20.0f;       // 17
}  // namespace type

// What every part of the window draws with.
struct Look {
    Theme theme = Theme::dark;
    Colors colors{};
    Fonts fonts;
    float scale = 1;
    // A length of the design in whole pixels.
    float px(float length) const { return std::round(length * scale); }
};

Fonts load_fonts();
// Sets colours, sizes and spacing of Dear ImGui's own widgets.
void apply_style(const Look& look);

// The width of a text in a font of `size` (before scaling).
float text_width(const Look& look, ImFont* font, float size, std::string_view text);
// Draws a text at `pos`; returns its width.
float draw_text(ImDrawList& list, const Look& look, ImFont* font, float size, ImVec2 pos,
                ImU32 color, std::string_view text);
// How much of a text fits into `width`.
struct CutText {
    std::size_t bytes = 0;
    float width = 0;
    float ellipsis = 0;  // the ellipsis's width, if there is one
};
inline constexpr std::string_view kEllipsis = "…";
CutText cut_text(const Look& look, ImFont* font, float size, std::string_view text, float width);
// Like draw_text, with an ellipsis in the middle of a text longer than `width`: names of kernels
// differ in their ends.
float draw_text_cut_middle(ImDrawList& list, const Look& look, ImFont* font, float size, ImVec2 pos,
                           ImU32 color, std::string_view text, float width);
// Like draw_text, cut with an ellipsis if longer than `width`.
float draw_text_cut(ImDrawList& list, const Look& look, ImFont* font, float size, ImVec2 pos,
                    ImU32 color, std::string_view text, float width);
// The top of a text of `size` that is centred in [y, y + height).
float text_y(const Look& look, float size, float y, float height);

}  // namespace lanescope
