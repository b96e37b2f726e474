#include "ui/panels/panel_column.h"

#include <cmath>

namespace lanescope {

namespace {

constexpr std::size_t kShortValue = 40;  // characters; longer values have lines of their own

void long_row(PanelColumn& c, const std::string& label, const std::string& value) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    draw_text_cut(c.list, c.look, c.look.fonts.regular, type::kTable, at, c.look.colors.mid, label,
                  c.width());
    ImGui::Dummy({c.width(), c.look.px(14)});
    ImGui::PushFont(c.look.fonts.mono, type::kTable);
    ImGui::PushTextWrapPos(0);
    ImGui::TextUnformatted(value.data(), value.data() + value.size());
    ImGui::PopTextWrapPos();
    ImGui::PopFont();
    copy_menu(label.c_str(), value);
}

}  // namespace

PanelColumn panel_column(const Look& look) {
    const float x0 = ImGui::GetCursorScreenPos().x;
    return {look, *ImGui::GetWindowDrawList(), x0, x0 + ImGui::GetContentRegionAvail().x};
}

void copy_menu(const char* id, const std::string& text) {
    if (ImGui::BeginPopupContextItem(id)) {
        if (ImGui::MenuItem("Copy")) ImGui::SetClipboardText(text.c_str());
        ImGui::EndPopup();
    }
}

void section(PanelColumn& c, const char* title) {
    ImGui::Dummy({0, c.look.px(8)});
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float height = c.look.px(18);
    const float width =
        draw_text(c.list, c.look, c.look.fonts.medium, type::kSecondary,
                  {at.x, text_y(c.look, type::kSecondary, at.y, height)}, c.look.colors.low, title);
    const float y = std::round(at.y + height / 2);
    c.list.AddRectFilled({at.x + width + c.look.px(10), y}, {c.x1, y + 1}, c.look.colors.line);
    ImGui::Dummy({c.width(), height + c.look.px(2)});
}

void say(const PanelColumn& c, const std::string& text) {
    ImGui::PushFont(c.look.fonts.regular, type::kSecondary);
    say(c.look, text);
    ImGui::PopFont();
}

void say(const Look& look, const std::string& text) {
    ImGui::PushStyleColor(ImGuiCol_Text, look.colors.low);
    ImGui::PushTextWrapPos(0);
    ImGui::TextUnformatted(text.data(), text.data() + text.size());
    ImGui::PopTextWrapPos();
    ImGui::PopStyleColor();
}

void row(PanelColumn& c, const std::string& label, const std::string& value, ImU32 color) {
    const bool lines = value.find('\n') != std::string::npos;
    const float value_width =
        lines ? 0 : text_width(c.look, c.look.fonts.regular, type::kTable, value);
    if (lines || value.size() > kShortValue || value_width > c.width() * 0.62f) {
        long_row(c, label, value);
        return;
    }
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float height = c.look.px(18);
    const float y = text_y(c.look, type::kTable, at.y, height);
    ImGui::PushID(label.c_str());
    ImGui::InvisibleButton("row", {c.width(), height});
    copy_menu("copy", value);
    ImGui::PopID();
    draw_text_cut(c.list, c.look, c.look.fonts.regular, type::kTable, {at.x, y}, c.look.colors.mid,
                  label, c.width() - value_width - c.look.px(12));
    draw_text(c.list, c.look, c.look.fonts.regular, type::kTable, {c.x1 - value_width, y},
              color == 0 ? c.look.colors.hi : color, value);
}

}  // namespace lanescope
