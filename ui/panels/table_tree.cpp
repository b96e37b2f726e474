#include "ui/panels/table_tree.h"

#include <algorithm>
#include <limits>

#include "ui/panels/table_panel.h"

namespace lanescope {

namespace {

constexpr float kIndent = 12;  // indentation for each enclosing row
constexpr float kArrow = 16;   // width that the arrow takes
constexpr float kArrowHalf = 4;

void draw_arrow(ImDrawList& list, ImVec2 middle, float half, bool open, ImU32 color) {
    const float less = half * 0.6f;
    if (open)
        list.AddTriangleFilled({middle.x - half, middle.y - less},
                               {middle.x + half, middle.y - less}, {middle.x, middle.y + less},
                               color);
    else
        list.AddTriangleFilled({middle.x - less, middle.y - half}, {middle.x + less, middle.y},
                               {middle.x - less, middle.y + half}, color);
}

}  // namespace

int64_t depth_of(const Table& table, uint32_t row, std::size_t column) {
    const Cell cell = table.cell(row, column);
    const auto* const depth = std::get_if<int64_t>(&cell);
    return depth ? *depth : 0;
}

void unfolded(const Table& table, std::vector<uint32_t>& rows, std::span<const uint32_t> folded) {
    const auto column = find_column(table.spec(), "depth");
    if (!table.spec().tree || !column || folded.empty()) return;
    constexpr int64_t nowhere = std::numeric_limits<int64_t>::max();
    int64_t inside = nowhere;  // rows deeper than this are hidden
    std::erase_if(rows, [&](uint32_t row) {
        const int64_t depth = depth_of(table, row, *column);
        if (depth > inside) return true;
        inside = std::ranges::binary_search(folded, row) ? depth : nowhere;
        return false;
    });
}

// Once sorted or searched, rows are no longer below their parents.
bool TablePanel::is_tree() const {
    return depth_ && (is_grouped() || (order_.sort.empty() && order_.filter.empty()));
}

bool TablePanel::has_inside(uint32_t row) const {
    return row + 1 < table_->row_count() &&
           depth_of(*table_, row + 1, *depth_) > depth_of(*table_, row, *depth_);
}

float TablePanel::tree_part_width(uint32_t row, const Look& look) const {
    if (!depth_) return 0;
    return look.px(kArrow + kIndent * static_cast<float>(depth_of(*table_, row, *depth_)));
}

// In front of a row's name: its indentation, and an arrow that folds its descendants.
void TablePanel::draw_tree_part(uint32_t row, const Look& look) {
    if (!is_tree()) return;
    const float indent = tree_part_width(row, look) - look.px(kArrow);
    const float height = ImGui::GetTextLineHeight();
    if (indent > 0) {
        ImGui::Dummy({indent, height});
        ImGui::SameLine(0, 0);
    }
    const ImVec2 at = ImGui::GetCursorScreenPos();
    if (!has_inside(row)) {
        ImGui::Dummy({look.px(kArrow), height});
        ImGui::SameLine(0, 0);
        return;
    }
    auto& folded = order_.folded;
    const auto place = std::ranges::lower_bound(folded, row);
    const bool open = is_grouped() ? std::ranges::binary_search(opened_, row)
                                   : place == folded.end() || *place != row;
    ImGui::PushID(static_cast<int>(row));
    const bool pressed = ImGui::InvisibleButton("fold", {look.px(kArrow), height});
    const bool hovered = ImGui::IsItemHovered();
    ImGui::PopID();
    draw_arrow(*ImGui::GetWindowDrawList(),
               {at.x + look.px(kArrow) / 2 - look.px(2), at.y + height / 2}, look.px(kArrowHalf),
               open, hovered ? look.colors.hi : look.colors.low);
    if (pressed && is_grouped())
        open_or_close(row);
    else if (pressed && open)
        folded.insert(place, row);
    else if (pressed)
        folded.erase(place);
    ImGui::SameLine(0, 0);
}

}  // namespace lanescope
