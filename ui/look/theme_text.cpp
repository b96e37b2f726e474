#include <algorithm>
#include <cmath>

#include "ui/look/theme.h"

namespace lanescope {

namespace {

// Fraction of the space for the head of a text that is cut in the middle.
constexpr float kHeadPart = 0.6f;

// How many bytes of `text` fit into `width`, and their width.
struct Fit {
    std::size_t bytes = 0;
    float width = 0;
};

// One UTF-8 character and its length; an invalid byte counts as one character.
struct Character {
    unsigned code = 0xFFFD;
    std::size_t bytes = 1;
};

Character next_character(std::string_view text) {
    const auto first = static_cast<unsigned char>(text[0]);
    if (first < 0x80) return {first, 1};
    const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 0;
    if (length == 0 || length > text.size()) return {};
    unsigned code = first & (0x7Fu >> length);
    for (std::size_t i = 1; i < length; ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        if ((byte & 0xC0) != 0x80) return {};
        code = code << 6 | (byte & 0x3Fu);
    }
    return {code, length};
}

// Dear ImGui bakes fonts in whole sizes, and scales them to other sizes.
struct Sized {
    ImFontBaked& baked;
    float scale;
};

Sized sized(const Look& look, ImFont* font, float size) {
    ImFontBaked& baked = *font->GetFontBaked(size * look.scale);
    return {baked, size * look.scale / baked.Size};
}

float advance(ImFontBaked& baked, unsigned code) {
    const auto& known = baked.IndexAdvanceX;
    if (code < static_cast<unsigned>(known.Size)) {
        const float width = known.Data[code];
        if (width >= 0) return width;
    }
    return baked.GetCharAdvance(
        static_cast<ImWchar>(std::min(code, unsigned{IM_UNICODE_CODEPOINT_MAX})));
}

Fit fit(Sized font, std::string_view text, float width) {
    Fit result;
    while (result.bytes < text.size()) {
        const Character c = next_character(text.substr(result.bytes));
        const float next = result.width + font.scale * advance(font.baked, c.code);
        if (next > width) break;
        result.width = next;
        result.bytes += c.bytes;
    }
    return result;
}

}  // namespace

float text_width(const Look& look, ImFont* font, float size, std::string_view text) {
    return fit(sized(look, font, size), text, 1e30f).width;
}

float draw_text(ImDrawList& list, const Look& look, ImFont* font, float size, ImVec2 pos,
                ImU32 color, std::string_view text) {
    list.AddText(font, size * look.scale, pos, color, text.data(), text.data() + text.size());
    return text_width(look, font, size, text);
}

CutText cut_text(const Look& look, ImFont* font, float size, std::string_view text, float width) {
    const Sized baked = sized(look, font, size);
    const Fit whole = fit(baked, text, width);
    if (whole.bytes == text.size()) return {whole.bytes, whole.width, 0};
    const float ellipsis = fit(baked, kEllipsis, 1e30f).width;
    const Fit part = fit(baked, text, width - ellipsis);
    if (part.bytes == 0) return {};
    return {part.bytes, part.width, ellipsis};
}

float draw_text_cut(ImDrawList& list, const Look& look, ImFont* font, float size, ImVec2 pos,
                    ImU32 color, std::string_view text, float width) {
    const CutText cut = cut_text(look, font, size, text, width);
    if (cut.bytes == 0) return 0;
    list.AddText(font, size * look.scale, pos, color, text.data(), text.data() + cut.bytes);
    if (cut.ellipsis > 0) {
        list.AddText(font, size * look.scale, {std::ceil(pos.x + cut.width), pos.y}, color,
                     kEllipsis.data(), kEllipsis.data() + kEllipsis.size());
    }
    return cut.width + cut.ellipsis;
}

float draw_text_cut_middle(ImDrawList& list, const Look& look, ImFont* font, float size, ImVec2 pos,
                           ImU32 color, std::string_view text, float width) {
    const Sized baked = sized(look, font, size);
    if (fit(baked, text, width).bytes == text.size())
        return draw_text(list, look, font, size, pos, color, text);
    const float ellipsis = fit(baked, kEllipsis, 1e30f).width;
    const Fit head = fit(baked, text, (width - ellipsis) * kHeadPart);
    // The longest tail that leaves space for the head: drops characters from its front.
    std::string_view tail = text.substr(head.bytes);
    float rest = fit(baked, tail, 1e30f).width;
    while (!tail.empty() && rest > width - ellipsis - head.width) {
        const Character c = next_character(tail);
        rest -= baked.scale * advance(baked.baked, c.code);
        tail.remove_prefix(c.bytes);
    }
    if (head.bytes == 0 || tail.empty())
        return draw_text_cut(list, look, font, size, pos, color, text, width);
    float x = pos.x + draw_text(list, look, font, size, pos, color, text.substr(0, head.bytes));
    x = std::ceil(x);
    x += draw_text(list, look, font, size, {x, pos.y}, color, kEllipsis);
    return x + draw_text(list, look, font, size, {x, pos.y}, color, tail) - pos.x;
}

float text_y(const Look& look, float size, float y, float height) {
    return std::round(y + (height - size * look.scale) / 2);
}

}  // namespace lanescope
