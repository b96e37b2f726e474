#include "ui/workspace/column_keys.h"

#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "ui/look/floating.h"

namespace lanescope {

namespace {

constexpr float kColumnStep = 12;  // design pixels for one command
constexpr float kMark = 2;         // the line under the chosen column's title
constexpr float kMinWidth = 24;
constexpr const char* kMenu = "columns";

ImGuiTable* table_of(std::string_view panel) {
    ImGuiContext& context = *ImGui::GetCurrentContext();
    for (int i = 0; i < context.Tables.GetMapSize(); ++i) {
        ImGuiTable* const table = context.Tables.TryGetMapData(i);
        if (!table || table->LastFrameActive < context.FrameCount - 1 || !table->OuterWindow)
            continue;
        const ImGuiWindow& root = *table->OuterWindow->RootWindow;
        if ((table->Flags & ImGuiTableFlags_Resizable) != 0 && panel == root.Name) return table;
    }
    return nullptr;
}

bool is_shown(const ImGuiTable& table, int column) {
    const ImGuiTableColumn& shown = table.Columns[column];
    return shown.IsUserEnabledNextFrame && (shown.Flags & ImGuiTableColumnFlags_Disabled) == 0;
}

// The enabled column that is `by` columns away; itself if there is none.
int neighbour(const ImGuiTable& table, int column, int by) {
    for (int order = table.Columns[column].DisplayOrder + by;
         order >= 0 && order < table.ColumnsCount; order += by) {
        const int other = table.DisplayOrderToIndex[order];
        if (is_shown(table, other)) return other;
    }
    return column;
}

void widen(ImGuiTable& table, int column, float by) {
    table.ResizedColumn = static_cast<ImGuiTableColumnIdx>(column);
    table.ResizedColumnNextWidth = table.Columns[column].WidthGiven + by;
}

bool may_hide(const ImGuiTable& table, int column) {
    return (table.Flags & ImGuiTableFlags_Hideable) != 0 &&
           (table.Columns[column].Flags & ImGuiTableColumnFlags_NoHide) == 0 &&
           table.ColumnsEnabledCount > 1;
}

// Like a click on its title.
void sort_by(ImGuiTable& table, int column) {
    if ((table.Flags & ImGuiTableFlags_Sortable) == 0 ||
        (table.Columns[column].Flags & ImGuiTableColumnFlags_NoSort) != 0)
        return;
    ImGuiContext& context = *ImGui::GetCurrentContext();
    ImGuiTable* const before = std::exchange(context.CurrentTable, &table);
    ImGui::TableSetColumnSortDirection(
        column, ImGui::TableGetColumnNextSortDirection(&table.Columns[column]), false);
    context.CurrentTable = before;
}

const char* name_of(const ImGuiTable& table, int column) {
    const char* const name = ImGui::TableGetColumnName(&table, column);
    return name && *name ? name : "(no name)";
}

// Columns before the chosen one may be frozen, so it is scrolled to the middle.
void bring_into_view(ImGuiTable& table, int column) {
    const ImGuiTableColumn& chosen = table.Columns[column];
    ImGuiWindow* const inner = table.InnerWindow;
    if (inner == table.OuterWindow || column < table.FreezeColumnsCount) return;
    const float left = table.FreezeColumnsCount > 0
                           ? table.Columns[table.DisplayOrderToIndex[0]].MaxX
                           : table.InnerClipRect.Min.x;
    if (chosen.MinX >= left && chosen.MaxX <= table.InnerClipRect.Max.x) return;
    const float middle = (left + table.InnerClipRect.Max.x) / 2;
    ImGui::SetScrollX(
        inner,
        std::max(0.0f, inner->Scroll.x + std::round((chosen.MinX + chosen.MaxX) / 2 - middle)));
}

}  // namespace

bool ColumnKeys::has_table(std::string_view panel) {
    return table_of(panel) != nullptr;
}

ImGuiTable* ColumnKeys::table() const {
    ImGuiContext& context = *ImGui::GetCurrentContext();
    ImGuiTable* const table = table_ == 0 ? nullptr : ImGui::TableFindByID(table_);
    const bool drawn =
        table && table->LastFrameActive >= context.FrameCount - 1 && column_ < table->ColumnsCount;
    return drawn ? table : nullptr;
}

void ColumnKeys::leave() {
    table_ = 0;
    column_ = -1;
}

void ColumnKeys::step(const ImGuiTable& table, int by) {
    column_ = neighbour(table, column_, by);
}

void ColumnKeys::act(Action action, std::string_view panel) {
    ImGuiTable* const table = table_of(panel);
    if (!table) return;
    const bool chosen = table->ID == table_ && column_ >= 0 && column_ < table->ColumnsCount &&
                        is_shown(*table, column_);
    if (!chosen) {
        table_ = table->ID;
        column_ = table->DisplayOrderToIndex[0];
        if (!is_shown(*table, column_)) column_ = neighbour(*table, column_, 1);
    }
    reveal_ = true;
    const float by = std::round(kColumnStep * ImGui::GetFontSize() / type::kText);
    switch (action) {
        case Action::columns_menu:
            menu_wanted_ = true;
            break;
        case Action::column_next:
            if (chosen) step(*table, 1);
            break;
        case Action::column_previous:
            if (chosen) step(*table, -1);
            break;
        case Action::column_wider:
            widen(*table, column_, by);
            break;
        case Action::column_narrower:
            widen(*table, column_, std::max(-by, kMinWidth - table->Columns[column_].WidthGiven));
            break;
        case Action::column_fit:
            ImGui::TableSetColumnWidthAutoSingle(table, column_);
            break;
        case Action::column_left:
        case Action::column_right:
            if ((table->Flags & ImGuiTableFlags_Reorderable) != 0) {
                const int other =
                    neighbour(*table, column_, action == Action::column_left ? -1 : 1);
                ImGui::TableQueueSetColumnDisplayOrder(table, column_,
                                                       table->Columns[other].DisplayOrder);
            }
            break;
        case Action::column_hide:
            if (may_hide(*table, column_)) {
                table->Columns[column_].IsUserEnabledNextFrame = false;
                const int after = neighbour(*table, column_, 1);
                column_ = after != column_ ? after : neighbour(*table, column_, -1);
            }
            break;
        case Action::column_sort:
            sort_by(*table, column_);
            break;
        default:
            break;
    }
}

void ColumnKeys::draw_items(ImGuiTable& table, const KeyMap& keys,
                            const std::function<void(Action)>& request) const {
    const auto item = [&](Action action, bool possible) {
        const std::string key = keys_of(keys, action);
        if (ImGui::MenuItem(command_of(action).title, key.c_str(), false, possible))
            request(action);
    };
    const bool ordered = (table.Flags & ImGuiTableFlags_Reorderable) != 0;
    const bool sorted = (table.Flags & ImGuiTableFlags_Sortable) != 0;
    ImGui::TextDisabled("%s", name_of(table, column_));
    // These are used repeatedly.
    ImGui::PushItemFlag(ImGuiItemFlags_AutoClosePopups, false);
    item(Action::column_wider, true);
    item(Action::column_narrower, true);
    item(Action::column_left, ordered);
    item(Action::column_right, ordered);
    item(Action::column_next, true);
    item(Action::column_previous, true);
    ImGui::PopItemFlag();
    item(Action::column_fit, true);
    item(Action::column_hide, may_hide(table, column_));
    item(Action::column_sort, sorted);
    if ((table.Flags & ImGuiTableFlags_Hideable) == 0) return;
    ImGui::Separator();
    if (ImGui::MenuItem("Reset columns and their order")) {
        table.IsResetDisplayOrderRequest = true;
        table.IsResetVisibilityRequest = true;
    }
    ImGui::PushItemFlag(ImGuiItemFlags_AutoClosePopups, false);
    for (int order = 0; order < table.ColumnsCount; ++order) {
        const int column = table.DisplayOrderToIndex[order];
        ImGuiTableColumn& shown = table.Columns[column];
        if ((shown.Flags & ImGuiTableColumnFlags_Disabled) != 0) continue;
        const bool on = shown.IsUserEnabledNextFrame;
        ImGui::PushID(column);
        if (ImGui::MenuItem(name_of(table, column), nullptr, on, !on || may_hide(table, column)))
            shown.IsUserEnabledNextFrame = !on;
        ImGui::PopID();
    }
    ImGui::PopItemFlag();
}

void ColumnKeys::draw(const KeyMap& keys, const Look& look,
                      const std::function<void(Action)>& request) {
    ImGuiTable* const drawn = table();
    if (!drawn || (ImGui::IsMouseClicked(ImGuiMouseButton_Left) && !ImGui::IsPopupOpen(kMenu))) {
        leave();
        return;
    }
    const ImGuiTableColumn& chosen = drawn->Columns[column_];
    if (std::exchange(reveal_, false)) bring_into_view(*drawn, column_);
    const float top = drawn->OuterRect.Min.y;
    const float bottom = top + drawn->InstanceDataFirst.LastTopHeadersRowHeight;
    ImDrawList& list = *drawn->InnerWindow->DrawList;
    list.PushClipRect(drawn->OuterRect.Min, drawn->OuterRect.Max);
    const float left = std::max(chosen.MinX, drawn->InnerClipRect.Min.x);
    list.AddRectFilled({left, top}, {chosen.MaxX, bottom}, with_alpha(look.colors.accent, 0.15f));
    list.AddRectFilled({left, bottom - look.px(kMark)}, {chosen.MaxX, bottom}, look.colors.accent);
    list.PopClipRect();
    if (std::exchange(menu_wanted_, false)) open_popup(kMenu, ImVec2(left, bottom));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {look.px(8), look.px(8)});
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {look.px(8), look.px(8)});
    if (ImGui::BeginPopup(kMenu)) {
        draw_items(*drawn, keys, request);
        ImGui::EndPopup();
    }
    ImGui::PopStyleVar(2);
}

std::string ColumnKeys::chosen() const {
    const ImGuiTable* const drawn = table();
    return drawn ? name_of(*drawn, column_) : "";
}

}  // namespace lanescope
