#include "ui/look/label_sheet.h"

#include <imgui_internal.h>

#include <algorithm>
#include <cmath>

namespace lanescope {

namespace {

// The font atlas's coverage at a position between its texels.
float coverage_at(const ImTextureData& atlas, float x, float y) {
    const auto texel = [&](int column, int row) {
        column = std::clamp(column, 0, atlas.Width - 1);
        row = std::clamp(row, 0, atlas.Height - 1);
        const std::size_t at =
            static_cast<std::size_t>(row) * static_cast<std::size_t>(atlas.Width) +
            static_cast<std::size_t>(column);
        const auto pixel = static_cast<std::size_t>(atlas.BytesPerPixel);
        return static_cast<float>(atlas.Pixels[at * pixel + pixel - 1]);  // alpha comes last
    };
    const float left = std::floor(x - 0.5f);
    const float top = std::floor(y - 0.5f);
    const int column = static_cast<int>(left);
    const int row = static_cast<int>(top);
    const float right = x - 0.5f - left;
    const float below = y - 0.5f - top;
    const float above_both = std::lerp(texel(column, row), texel(column + 1, row), right);
    if (below == 0) return above_both;
    return std::lerp(above_both,
                     std::lerp(texel(column, row + 1), texel(column + 1, row + 1), right), below);
}

}  // namespace

void LabelSheet::begin(const Look& look, ImFont* font, float size) {
    const float density = ImGui::GetIO().DisplayFramebufferScale.x;
    const float line = size * look.scale;
    const int sources = font->Sources.Size;
    const bool other = font != font_ || sources != sources_ || line != line_ || density != density_;
    if (other || next_y_ > kSide * 3 / 4) {
        places_.clear();
        texels_.assign(static_cast<std::size_t>(kSide) * kSide, 0);
        next_x_ = next_y_ = 0;
    }
    look_ = &look;
    font_ = font;
    sources_ = sources;
    size_ = size;
    line_ = line;
    density_ = density;
    height_ = static_cast<int>(std::ceil(line * density));
}

const LabelSheet::Place* LabelSheet::place(std::string_view text) {
    if (const auto known = places_.find(text); known != places_.end()) return &known->second;
    const float wide = text_width(*look_, font_, size_, text) * density_;
    if (wide > kSide - 1) return nullptr;
    const int width = static_cast<int>(std::ceil(wide)) + 1;
    if (next_x_ + width > kSide) {
        next_x_ = 0;
        next_y_ += height_;
    }
    if (next_y_ + height_ > kSide) return nullptr;
    const Place at{static_cast<uint16_t>(next_x_), static_cast<uint16_t>(next_y_),
                   static_cast<uint16_t>(width), static_cast<uint16_t>(height_)};
    next_x_ += width;
    if (changed_.from == changed_.to) changed_ = {at.y, at.y};
    changed_ = {std::min<int>(changed_.from, at.y), std::max(changed_.to, at.y + height_)};
    draw(text, at);
    return &places_.emplace(std::string(text), at).first->second;
}

// Samples the font's glyphs as OpenGL would have done for their quads.
void LabelSheet::draw(std::string_view text, Place at) {
    ImFontBaked& baked = *font_->GetFontBaked(line_);
    // Fonts are baked in whole sizes; texts have the size that was asked for.
    const float scale = density_ * line_ / baked.Size;
    const char* const end = text.data() + text.size();
    float pen = 0;
    for (const char* next = text.data(); next < end;) {
        unsigned code = 0;
        next += ImTextCharFromUtf8(&code, next, end);
        const ImFontGlyph* const glyph = baked.FindGlyph(static_cast<ImWchar>(code));
        const ImTextureData& atlas = *font_->OwnerAtlas->TexData;
        const float x0 = pen + glyph->X0 * scale;
        const float y0 = glyph->Y0 * scale;
        const float x1 = pen + glyph->X1 * scale;
        const float y1 = glyph->Y1 * scale;
        pen += glyph->AdvanceX * scale;
        if (!glyph->Visible) continue;
        const float across = (glyph->U1 - glyph->U0) * static_cast<float>(atlas.Width) / (x1 - x0);
        const float down = (glyph->V1 - glyph->V0) * static_cast<float>(atlas.Height) / (y1 - y0);
        const int left = std::max(0, static_cast<int>(std::ceil(x0 - 0.5f)));
        const int right = std::min<int>(at.width, static_cast<int>(std::ceil(x1 - 0.5f)));
        const int top = std::max(0, static_cast<int>(std::ceil(y0 - 0.5f)));
        const int bottom = std::min(height_, static_cast<int>(std::ceil(y1 - 0.5f)));
        for (int y = top; y < bottom; ++y) {
            const float v = glyph->V0 * static_cast<float>(atlas.Height) +
                            (static_cast<float>(y) + 0.5f - y0) * down;
            uint8_t* const line = &texels_[static_cast<std::size_t>(at.y + y) * kSide + at.x];
            for (int x = left; x < right; ++x) {
                const float u = glyph->U0 * static_cast<float>(atlas.Width) +
                                (static_cast<float>(x) + 0.5f - x0) * across;
                const auto coverage = static_cast<uint8_t>(std::lround(coverage_at(atlas, u, v)));
                line[x] = std::max(line[x], coverage);
            }
        }
    }
}

}  // namespace lanescope
