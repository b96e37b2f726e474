#include "ui/panels/table_cells.h"

#include <algorithm>
#include <string>

namespace lanescope {

bool is_number_column(const ColumnSpec& column) {
    return column.type == ValueType::integer || column.type == ValueType::real;
}

void right_aligned(std::string_view text) {
    const char* const end = text.data() + text.size();
    const float width = ImGui::CalcTextSize(text.data(), end).x;
    ImGui::SetCursorPosX(ImGui::GetCursorPosX() +
                         std::max(0.0f, ImGui::GetContentRegionAvail().x - width));
    ImGui::TextUnformatted(text.data(), end);
}

void text_cell(const Look& look, std::string_view text, ImU32 color, std::string_view whole,
               Cut cut) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float room = ImGui::GetContentRegionAvail().x;
    const float width = text_width(look, look.fonts.regular, type::kTable, text);
    const auto draw = cut == Cut::middle ? draw_text_cut_middle : draw_text_cut;
    draw(*ImGui::GetWindowDrawList(), look, look.fonts.regular, type::kTable, at, color, text,
         room);
    if (room <= 0) return;
    ImGui::Dummy({room, ImGui::GetTextLineHeight()});
    if ((width <= room && whole == text) || !ImGui::IsItemHovered(ImGuiHoveredFlags_DelayNormal))
        return;
    ImGui::BeginTooltip();
    ImGui::PushTextWrapPos(look.px(600));
    ImGui::TextUnformatted(whole.data(), whole.data() + whole.size());
    ImGui::PopTextWrapPos();
    ImGui::EndTooltip();
}

void column_header(const Look& look, int column, bool number, std::string_view definition) {
    if (!ImGui::TableSetColumnIndex(column)) return;
    const float room = ImGui::GetContentRegionAvail().x;
    const char* const name = ImGui::TableGetColumnName(column);
    if (!number) {
        ImGui::TableHeader(name);
    } else {
        const ImVec2 at = ImGui::GetCursorScreenPos();
        const bool sorted =
            (ImGui::TableGetColumnFlags(column) & ImGuiTableColumnFlags_IsSorted) != 0;
        const float right =
            at.x + ImGui::GetContentRegionAvail().x - (sorted ? look.px(kSortArrow) : 0);
        ImGui::PushID(column);
        ImGui::TableHeader("##number");
        ImGui::PopID();
        const float width = text_width(look, look.fonts.regular, type::kTable, name);
        draw_text_cut(*ImGui::GetWindowDrawList(), look, look.fonts.regular, type::kTable,
                      {std::max(at.x, right - width), at.y}, look.colors.low, name,
                      std::min(width, right - at.x));
    }
    if (!definition.empty() && ImGui::IsItemHovered(ImGuiHoveredFlags_DelayShort)) {
        ImGui::PushStyleColor(ImGuiCol_Text, look.colors.hi);
        ImGui::BeginTooltip();
        ImGui::PushTextWrapPos(look.px(340));
        // The tooltip shows a title that a narrow column cuts.
        if (text_width(look, look.fonts.regular, type::kTable, name) > room)
            ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(look.colors.mid), "%s", name);
        ImGui::TextUnformatted(definition.data(), definition.data() + definition.size());
        ImGui::PopTextWrapPos();
        ImGui::EndTooltip();
        ImGui::PopStyleColor();
    }
}

ImVec2 middle_of_item() {
    const ImVec2 min = ImGui::GetItemRectMin();
    const ImVec2 max = ImGui::GetItemRectMax();
    return {(min.x + max.x) / 2, (min.y + max.y) / 2};
}

bool is_of_selection(const Trace& trace, RowTarget target, SliceRef selected) {
    if (!selected || !target.slice) return false;
    return target.slice == selected || trace.name_id(target.slice) == trace.name_id(selected);
}

}  // namespace lanescope
