// Groups in a table panel: the menus that choose them, and which of them are open.
#include <imgui_internal.h>

#include <algorithm>
#include <utility>

#include "core/export/tables/table_writer.h"
#include "ui/panels/table_cells.h"
#include "ui/panels/table_panel.h"
#include "ui/panels/table_tree.h"

namespace lanescope {

namespace {

std::string name_in(const Table& table, uint32_t row) {
    return format_cell(table.cell(row, 0), Unit::none);
}

}  // namespace

OpenRows open_rows(const Table& table, const std::set<std::string>& open) {
    OpenRows rows;
    const auto depths = find_column(table.spec(), "depth");
    if (!depths) return rows;
    std::vector<std::string> around;  // paths of the open groups around the row
    for (uint32_t row = 0; row < table.row_count(); ++row) {
        const int64_t depth = depth_of(table, row, *depths);
        const auto enclosing = static_cast<std::size_t>(depth);
        if (enclosing < around.size()) around.resize(enclosing);
        if (enclosing > around.size()) continue;  // in a closed group
        rows.shown.push_back(row);
        if (row + 1 == table.row_count() || depth_of(table, row + 1, *depths) <= depth) continue;
        std::string path = name_in(table, row);
        if (!around.empty()) path.insert(0, around.back() + kPathSeparator);
        if (!open.contains(path)) continue;
        rows.opened.push_back(row);
        around.push_back(std::move(path));
    }
    return rows;
}

bool TablePanel::is_same_table(const Order& order) const {
    if (!ordered_ || order.by != ordered_->by) return false;
    return !is_grouped() || (order.sort == ordered_->sort && order.reversed == ordered_->reversed &&
                             order.filter == ordered_->filter);
}

std::string TablePanel::path_of_group(uint32_t row) const {
    std::string path = name_in(*table_, row);
    int64_t depth = depth_of(*table_, row, *depth_);
    for (uint32_t before = row; depth > 0 && before-- > 0;) {
        if (depth_of(*table_, before, *depth_) >= depth) continue;
        path.insert(0, name_in(*table_, before) + kPathSeparator);
        --depth;
    }
    return path;
}

void TablePanel::open_or_close(uint32_t row) {
    const std::string path = path_of_group(row);
    if (order_.open.erase(path) == 0) order_.open.insert(path);
}

void TablePanel::group_by(std::vector<std::string> keys) {
    order_.by = std::move(keys);
    order_.open.clear();
    order_.folded.clear();
}

// `column`: of the table as computed; none: all of them, in lists.
void TablePanel::draw_group_items(std::optional<std::size_t> column) {
    const TableSpec& spec = base_->spec();
    const auto is_chosen = [&](std::size_t c) {
        return std::ranges::find(order_.by, spec.columns[c].key) != order_.by.end();
    };
    const auto item = [&](const char* title, std::size_t c, std::size_t level) {
        const bool chosen = ImGui::MenuItem(title, nullptr, false, !is_chosen(c));
        tool_places_.push_back({title, middle_of_item()});
        if (!chosen) return;
        std::vector<std::string> by(order_.by.begin(),
                                    order_.by.begin() + static_cast<std::ptrdiff_t>(level));
        by.emplace_back(spec.columns[c].key);
        group_by(std::move(by));
    };
    const auto list = [&](const char* title, std::size_t level) {
        if (!ImGui::BeginMenu(title)) return;
        for (const std::size_t c : by_usefulness(spec.columns))
            if (c == 0 || !is_shown_elsewhere(spec, c))
                item(head_of(spec.columns[c]).c_str(), c, level);
        ImGui::EndMenu();
    };
    const bool has_group = !order_.by.empty();
    if (column) {
        item("Group by this column", *column, 0);
        if (has_group) item("Then by this column", *column, 1);
    } else {
        list("Group by", 0);
        if (has_group) list("Then by", 1);
    }
    if (ImGui::MenuItem("No grouping", nullptr, false, has_group)) group_by({});
}

// The button in the panel's first line, with all columns.
void TablePanel::draw_group_menu(const Look& look) {
    constexpr const char* kMenu = "groups";
    ImGui::BeginDisabled(!base_ || base_->row_count() == 0);
    const bool pressed = ImGui::Button(order_.by.empty() ? "Group" : "Grouped");
    const ImVec2 below(ImGui::GetItemRectMin().x, ImGui::GetItemRectMax().y + look.px(4));
    ImGui::SetItemTooltip("One row for each value of a column");
    tool_places_.push_back({"group", middle_of_item()});
    ImGui::EndDisabled();
    if (pressed) ImGui::OpenPopup(kMenu);
    if (ImGui::IsPopupOpen(kMenu)) ImGui::SetNextWindowPos(below, ImGuiCond_Appearing);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {look.px(8), look.px(8)});
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {look.px(8), look.px(8)});
    if (ImGui::BeginPopup(kMenu)) {
        if (base_) draw_group_items(std::nullopt);
        ImGui::EndPopup();
    }
    ImGui::PopStyleVar(2);
}

// The menu of a column, on the right mouse button at its title. Replaces Dear ImGui's, and has all
// of its items too.
void TablePanel::draw_column_menu() {
    ImGuiTable* const table = ImGui::GetCurrentTable();
    if (!ImGui::TableBeginContextMenuPopup(table)) return;
    std::optional<std::size_t> column;
    const int place = table->ContextPopupColumn;
    if (place >= 0 && static_cast<std::size_t>(place) < view_.size())
        column = find_column(base_->spec(),
                             table_->spec().columns[view_[static_cast<std::size_t>(place)]].key);
    draw_group_items(column);
    ImGui::Separator();
    ImGui::TableDrawDefaultContextMenu(table, table->Flags);
    ImGui::EndPopup();
}

}  // namespace lanescope
