#include "ui/look/theme.h"

#include "ui/look/fonts.h"

namespace lanescope {

namespace {

ImVec4 unpacked(ImU32 color) {
    return ImGui::ColorConvertU32ToFloat4(color);
}

ImFont* add_font(FontBytes bytes, bool merge) {
    ImFontConfig config;
    config.FontDataOwnedByAtlas = false;
    config.MergeMode = merge;
    // Dear ImGui takes a non-const pointer, but only reads bytes that it does not own.
    void* data = const_cast<unsigned char*>(bytes.data());
    return ImGui::GetIO().Fonts->AddFontFromMemoryTTF(data, static_cast<int>(bytes.size()),
                                                      type::kText, &config);
}

}  // namespace

Colors packed_colors(Theme theme) {
    const ThemeColors& c = theme_colors(theme);
    Colors packed{c.bg.packed(),
                  c.panel.packed(),
                  c.raised.packed(),
                  c.line.packed(),
                  c.line2.packed(),
                  c.hi.packed(),
                  c.mid.packed(),
                  c.low.packed(),
                  c.accent.packed(),
                  c.waiting.packed(),
                  c.costs.packed(),
                  c.fine.packed(),
                  {},
                  {},
                  {},
                  {}};
    for (std::size_t i = 0; i < kEventClassCount; ++i) {
        const auto event_class = static_cast<EventClass>(i);
        packed.fill[i] = slice_fill(theme, event_class).packed();
        packed.edge[i] = slice_edge(theme, event_class).packed();
        packed.text[i] = slice_text(theme, event_class).packed();
        packed.mark[i] = slice_mark(theme, event_class).packed();
    }
    return packed;
}

ImU32 with_alpha(ImU32 color, float alpha) {
    return (color & 0x00FFFFFFu) | static_cast<ImU32>(std::lround(alpha * 255)) << 24;
}

ImU32 mixed(ImU32 a, ImU32 b, float t) {
    ImU32 result = 0xFF000000u;
    for (int shift = 0; shift < 24; shift += 8) {
        const auto from = static_cast<float>(a >> shift & 0xFF);
        const auto to = static_cast<float>(b >> shift & 0xFF);
        result |= static_cast<ImU32>(std::lround(from + (to - from) * t)) << shift;
    }
    return result;
}

Fonts load_fonts() {
    Fonts fonts;
    // Arrows come from Inconsolata and icons from Font Awesome, because Roboto has neither.
    fonts.regular = add_font(roboto_regular(), false);
    add_font(inconsolata(), true);
    add_font(font_awesome(), true);
    fonts.medium = add_font(roboto_medium(), false);
    add_font(inconsolata(), true);
    fonts.mono = add_font(inconsolata(), false);
    return fonts;
}

namespace {

// Colours of Dear ImGui's own widgets.
void set_colors(ImGuiStyle& style, const Colors& c) {
    const ImU32 clear = 0;
    const std::pair<ImGuiCol, ImU32> colors[] = {
        {ImGuiCol_Text, c.hi},
        {ImGuiCol_TextDisabled, c.low},
        {ImGuiCol_WindowBg, c.panel},
        {ImGuiCol_ChildBg, clear},
        {ImGuiCol_PopupBg, c.raised},
        {ImGuiCol_Border, c.line2},
        {ImGuiCol_BorderShadow, clear},
        {ImGuiCol_FrameBg, c.bg},
        {ImGuiCol_FrameBgHovered, mixed(c.bg, c.line, 0.5f)},
        {ImGuiCol_FrameBgActive, c.line},
        {ImGuiCol_TitleBg, c.panel},
        {ImGuiCol_TitleBgActive, c.panel},
        {ImGuiCol_TitleBgCollapsed, c.panel},
        {ImGuiCol_Button, c.raised},
        {ImGuiCol_ButtonHovered, mixed(c.raised, c.line2, 0.5f)},
        {ImGuiCol_ButtonActive, c.line2},
        {ImGuiCol_Header, with_alpha(c.accent, 0.16f)},
        {ImGuiCol_HeaderHovered, with_alpha(c.accent, 0.10f)},
        {ImGuiCol_HeaderActive, with_alpha(c.accent, 0.24f)},
        {ImGuiCol_Separator, c.line},
        {ImGuiCol_SeparatorHovered, c.accent},
        {ImGuiCol_SeparatorActive, c.accent},
        {ImGuiCol_ResizeGrip, clear},
        {ImGuiCol_ResizeGripHovered, c.line2},
        {ImGuiCol_ResizeGripActive, c.accent},
        {ImGuiCol_ScrollbarBg, clear},
        {ImGuiCol_ScrollbarGrab, c.line2},
        {ImGuiCol_ScrollbarGrabHovered, c.low},
        {ImGuiCol_ScrollbarGrabActive, c.mid},
        {ImGuiCol_Tab, clear},
        {ImGuiCol_TabHovered, mixed(c.panel, c.line, 0.6f)},
        {ImGuiCol_TabSelected, clear},
        {ImGuiCol_TabSelectedOverline, clear},
        {ImGuiCol_TabDimmed, clear},
        {ImGuiCol_TabDimmedSelected, clear},
        {ImGuiCol_TabDimmedSelectedOverline, clear},
        {ImGuiCol_DockingPreview, with_alpha(c.accent, 0.3f)},
        {ImGuiCol_DockingEmptyBg, clear},
        {ImGuiCol_TableHeaderBg, clear},
        {ImGuiCol_TableBorderStrong, clear},
        {ImGuiCol_TableBorderLight, clear},
        {ImGuiCol_TableRowBg, clear},
        {ImGuiCol_TableRowBgAlt, clear},
        {ImGuiCol_TextSelectedBg, with_alpha(c.accent, 0.35f)},
        {ImGuiCol_TextLink, c.accent},
        {ImGuiCol_CheckMark, c.accent},
        {ImGuiCol_SliderGrab, c.accent},
        {ImGuiCol_SliderGrabActive, c.accent},
        {ImGuiCol_PlotHistogram, c.accent},
        {ImGuiCol_NavCursor, c.accent},
        {ImGuiCol_ModalWindowDimBg, with_alpha(c.bg, 0.6f)},
    };
    for (const auto& [index, color] : colors) style.Colors[index] = unpacked(color);
}

}  // namespace

void apply_style(const Look& look) {
    ImGuiStyle& style = ImGui::GetStyle();
    style = ImGuiStyle();
    style.WindowPadding = {12, 8};
    style.WindowRounding = 5;
    style.WindowBorderSize = 0;
    style.PopupRounding = 5;
    style.PopupBorderSize = 1;
    style.FramePadding = {12, 5};
    style.FrameRounding = 5;
    style.FrameBorderSize = 1;
    style.ItemSpacing = {8, 6};
    style.CellPadding = {8, 4};
    style.ScrollbarSize = 10;
    style.ScrollbarRounding = 5;
    style.TabRounding = 0;
    style.TabBarBorderSize = 0;
    style.TabBarOverlineSize = 0;
    style.TabMinWidthShrink = 160;  // names are never cut: tabs scroll if space is short
    style.DockingSeparatorSize = 1;
    style.WindowMenuButtonPosition = ImGuiDir_None;
    style.HoverStationaryDelay = 0;
    style.HoverDelayShort = 0.04f;
    style.ScaleAllSizes(look.scale);
    style.DockingSeparatorSize = 1;
    style.PopupBorderSize = 1;
    style.FrameBorderSize = 1;
    style.FontSizeBase = type::kText;
    style.FontScaleMain = look.scale;

    if (look.theme == Theme::light) ImGui::StyleColorsLight();
    set_colors(style, look.colors);
}

}  // namespace lanescope
