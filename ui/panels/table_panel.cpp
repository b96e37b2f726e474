#include "ui/panels/table_panel.h"

#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <utility>

#include "core/base/format.h"
#include "core/export/tables/shown_name.h"
#include "core/export/tables/table_writer.h"
#include "core/table/grouped.h"
#include "ui/panels/missing_data.h"
#include "ui/panels/table_cells.h"
#include "ui/panels/table_looks.h"
#include "ui/panels/table_tree.h"

namespace lanescope {

namespace {

constexpr float kFilter = 220;
constexpr float kToolsRoom = 330;  // minimum space for tools beside the forms
constexpr float kToolPadding = 8;  // of a button's text
constexpr float kFormGap = 3;
constexpr float kBeforeForms = 40;    // the word "by" with the space around it
constexpr float kNarrowTable = 1000;  // a table with less space for its columns …
constexpr float kClose = 5;           // … has smaller gaps, and more space for names

// Sets smaller cell padding during its lifetime.
struct ClosedUp {
    explicit ClosedUp(ImVec2 padding) { ImGui::PushStyleVar(ImGuiStyleVar_CellPadding, padding); }
    ~ClosedUp() { ImGui::PopStyleVar(); }
    ClosedUp(const ClosedUp&) = delete;
    ClosedUp& operator=(const ClosedUp&) = delete;
};

std::string form_word(const TableMaker& maker) {
    if (!maker.spec->by.empty()) return std::string(maker.spec->by);
    // Rows with a start time are single instances.
    if (find_column(*maker.spec, "start_ns") || find_column(*maker.spec, "launch_start_ns"))
        return "instance";
    return head_for_people(maker.spec->columns.front());
}

std::string range_text(const Trace& trace, TimeRange range) {
    return format_duration(range.begin - trace.origin) + " … " +
           format_duration(range.end - trace.origin);
}

// Says what the panel would show, and how to get it.
void say_why_empty(const PanelInputs& inputs, std::string_view panel) {
    const std::string_view missing =
        inputs.context ? missing_data(panel, inputs.context->trace()) : std::string_view();
    ImGui::PushTextWrapPos(0);
    ImGui::TextDisabled("%s", inputs.range      ? "Nothing of this kind in the marked range."
                              : missing.empty() ? "Nothing of this kind in the trace."
                                                : std::string(missing).c_str());
    ImGui::PopTextWrapPos();
}

// Whether the row drawn last is completely visible below the heads. `first`: the top of the first
// row, which is below the heads unless the table is scrolled.
bool is_row_in_view(float first) {
    const ImGuiTable* const table = ImGui::GetCurrentTable();
    constexpr float kRounding = 1;
    return table->RowPosY1 >= first + ImGui::GetScrollY() - kRounding &&
           table->RowPosY2 <= table->InnerClipRect.Max.y + kRounding;
}

// Opens the menu of the row drawn last, on the right mouse button.
void row_menu(RowTarget target, const TracePtr& snapshot, Requests& requests) {
    if (!target || !ImGui::BeginPopupContextItem("row menu")) return;
    if (ImGui::MenuItem("Show on the timeline")) {
        if (target.slice)
            requests.add(ZoomToSlice{target.slice, snapshot});
        else
            requests.add(FrameRange{target.range});
    }
    if (target.slice && ImGui::MenuItem("What if it took less"))
        requests.add(AskWhatIf{target.slice, snapshot});
    ImGui::EndPopup();
}

}  // namespace

TablePanel::TablePanel(std::string_view table, std::string_view title) : title_(title) {
    const auto has = [this](const TableMaker& maker) {
        return std::ranges::any_of(
            forms_, [&](const TableMaker* form) { return form_word(*form) == form_word(maker); });
    };
    // Variants may be addressed by their own name: peaks of memory are the variant by device.
    for (const TableMaker& maker : table_makers())
        if (maker.spec->name == table && !has(maker)) forms_.push_back(&maker);
}

void TablePanel::set_source(Source source) {
    ++source_number_;
    source_ = std::move(source);
}

// Draws a bar behind the number, its length relative to the largest number.
void TablePanel::draw_bar(const Cell& cell, const Look& look) const {
    const auto* const n = std::get_if<int64_t>(&cell);
    if (!n || *n <= 0 || largest_ <= 0) return;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const double part = static_cast<double>(*n) / static_cast<double>(largest_);
    const float width = std::max(
        look.px(2), std::round(ImGui::GetContentRegionAvail().x * static_cast<float>(part)));
    ImGui::GetWindowDrawList()->AddRectFilled(
        {at.x, at.y}, {at.x + width, at.y + ImGui::GetTextLineHeight()},
        mixed(look.colors.panel, look.colors.costs, 0.3f), look.px(2));
}

float TablePanel::width_of_forms(const Look& look) const {
    if (forms_.size() < 2) return 0;
    float width = 0;
    for (const TableMaker* form : forms_)
        width += text_width(look, look.fonts.regular, type::kTable, form_word(*form)) +
                 look.px(2 * kToolPadding + kFormGap);
    return width;
}

float TablePanel::width_of_tools(const Look& look) const {
    return look.px(kFilter + kToolsRoom + (forms_.size() < 2 ? 0 : kBeforeForms)) +
           width_of_forms(look);
}

// One button for each form if space permits; otherwise a list.
void TablePanel::draw_forms(const Look& look) {
    const float spacing = look.px(kFormGap);
    const float width = look.px(kToolsRoom) + width_of_forms(look);
    form_places_.clear();
    ImGui::SameLine();
    if (width > ImGui::GetContentRegionAvail().x) {
        ImGui::SetNextItemWidth(look.px(130));
        if (ImGui::BeginCombo("##form", ("by " + form_word(*forms_[form_])).c_str())) {
            for (std::size_t i = 0; i < forms_.size(); ++i)
                if (ImGui::Selectable(("by " + form_word(*forms_[i])).c_str(), i == form_))
                    form_ = i;
            ImGui::EndCombo();
        }
        return;
    }
    ImGui::AlignTextToFramePadding();
    ImGui::PushStyleColor(ImGuiCol_Text, look.colors.low);
    ImGui::TextUnformatted("by");
    ImGui::PopStyleColor();
    for (std::size_t i = 0; i < forms_.size(); ++i) {
        const bool chosen = i == form_;
        ImGui::SameLine(0, i == 0 ? look.px(6) : spacing);
        ImGui::PushStyleColor(ImGuiCol_Text, chosen ? look.colors.hi : look.colors.mid);
        ImGui::PushStyleColor(ImGuiCol_Button, chosen ? with_alpha(look.colors.accent, 0.2f) : 0);
        ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, 0);
        if (ImGui::Button(form_word(*forms_[i]).c_str())) form_ = i;
        ImGui::PopStyleVar();
        ImGui::PopStyleColor(2);
        form_places_.push_back({form_word(*forms_[i]), middle_of_item()});
    }
}

void TablePanel::draw_tools(const PanelInputs& inputs, const Look& look, Requests& requests) {
    ImGui::PushFont(look.fonts.regular, type::kTable);
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {look.px(kToolPadding), look.px(3)});
    ImGui::SetNextItemWidth(look.px(kFilter));
    if (ImGui::InputTextWithHint("##filter", "Only rows with …", filter_.data(), filter_.size()))
        order_.filter = filter_.data();
    tool_places_ = {{"filter", middle_of_item()}};
    if (forms_.size() > 1) draw_forms(look);
    ImGui::SameLine();
    ImGui::BeginDisabled(!table_ || rows_->empty() || busy());
    if (ImGui::Button("Copy")) copy_rows(inputs);
    ImGui::SetItemTooltip("Copy the rows shown as CSV");
    tool_places_.push_back({"copy", middle_of_item()});
    ImGui::SameLine();
    if (ImGui::Button("Save")) requests.add(request_to_save());
    ImGui::SetItemTooltip("Save the rows shown as a CSV file");
    tool_places_.push_back({"save", middle_of_item()});
    ImGui::EndDisabled();
    ImGui::SameLine();
    draw_group_menu(look);
    ImGui::SameLine();
    ImGui::PushStyleColor(ImGuiCol_Text, look.colors.mid);
    std::string status =
        busy() || !table_ ? "Computing …" : format_count(rows_->size(), "row", "rows");
    if (inputs.range) status += "  ·  only " + range_text(inputs.context->trace(), *inputs.range);
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted(status.c_str());
    ImGui::PopStyleColor();
    ImGui::PopStyleVar();
    ImGui::PopFont();
}

void TablePanel::take_sorting() {
    ImGuiTableSortSpecs* const specs = ImGui::TableGetSortSpecs();
    if (!specs) return;
    // Not only if they have changed: the table of groups has specs of its own.
    specs->SpecsDirty = false;
    order_.sort.clear();
    order_.reversed = false;
    if (specs->SpecsCount == 0) return;
    const auto place = static_cast<std::size_t>(specs->Specs[0].ColumnIndex);
    if (place >= view_.size()) return;
    const std::size_t column = view_[place];
    const bool up = specs->Specs[0].SortDirection == ImGuiSortDirection_Ascending;
    const ColumnSpec& spec = table_->spec().columns[column];
    order_.sort = is_grouped() && column == 0 ? kGroupKey : spec.key;
    order_.reversed = up == is_number_column(spec);
}

// A click on a row.
void TablePanel::follow_row(uint32_t row, RowTarget target, Requests& requests) {
    if (is_grouped() && has_inside(row)) return open_or_close(row);
    if (target.slice)
        requests.add(ZoomToSlice{target.slice, made_->snapshot});
    else if (target)
        requests.add(FrameRange{target.range});
    if (target.is_gap) requests.add(DescribeGap{target.range});
}

void TablePanel::draw_row(uint32_t row, const PanelInputs& inputs, const Look& look,
                          Requests& requests) {
    const RowTarget target = table_->target(row);
    const bool marked = is_of_selection(*inputs.shown, target, inputs.selected);
    ImGui::TableNextRow();
    for (std::size_t place = 0; place < view_.size(); ++place) {
        const std::size_t c = view_[place];
        const ColumnSpec& column = table_->spec().columns[c];
        const bool visible = ImGui::TableSetColumnIndex(static_cast<int>(place));
        if (c == 0) {
            ImGui::PushID(static_cast<int>(row));
            const auto flags = ImGuiSelectableFlags{ImGuiSelectableFlags_SpanAllColumns} |
                               ImGuiSelectableFlags{ImGuiSelectableFlags_AllowOverlap};
            if (ImGui::Selectable("##row", marked, flags)) follow_row(row, target, requests);
            row_menu(target, made_->snapshot, requests);
            ImGui::PopID();
            ImGui::SameLine(0, 0);
        }
        if (!visible) continue;
        const std::string text = text_of_cell(row, c);
        if (c == 0) draw_tree_part(row, look);
        if (is_number_column(column)) {
            if (bar_ == c) draw_bar(table_->cell(row, c), look);
            ImGui::PushStyleColor(ImGuiCol_Text, look.colors.mid);
            right_aligned(text);
            ImGui::PopStyleColor();
        } else if (cell_painter_.draw && column.key == cell_painter_.key) {
            cell_painter_.draw(look, text);
        } else {
            text_cell(look, exact_ ? text : shown_name(*table_, row, c, text),
                      c == 0 ? look.colors.hi : look.colors.mid, text, Cut::middle);
        }
    }
}

void TablePanel::draw_table(const PanelInputs& inputs, const Look& look, Requests& requests) {
    const auto columns = table_->spec().columns;
    ImGuiTableFlags flags = ImGuiTableFlags_Sortable | ImGuiTableFlags_SortTristate |
                            ImGuiTableFlags_ScrollX | ImGuiTableFlags_ScrollY |
                            ImGuiTableFlags_Resizable | ImGuiTableFlags_Reorderable |
                            ImGuiTableFlags_Hideable | ImGuiTableFlags_NoBordersInBody;
    if (exact_) flags |= ImGuiTableFlags_NoSavedSettings;
    const std::string id = id_of_table();
    const float room = ImGui::GetContentRegionAvail().x - ImGui::GetStyle().ScrollbarSize;
    const ImVec2 padding = ImGui::GetStyle().CellPadding;
    const ClosedUp closed_up(room < look.px(kNarrowTable) ? ImVec2(look.px(kClose), padding.y)
                                                          : padding);
    if (!ImGui::BeginTable(id.c_str(), static_cast<int>(view_.size()), flags)) return;
    ImGui::TableSetupScrollFreeze(1, 1);
    ImGui::GetCurrentTable()->DisableDefaultContextMenu = true;  // draw_column_menu() draws it
    set_up_columns(look);
    share_width(room, look);
    ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
    ImGui::PushStyleColor(ImGuiCol_Text, look.colors.low);
    for (std::size_t place = 0; place < view_.size(); ++place) {
        const ColumnSpec& column = columns[view_[place]];
        column_header(look, static_cast<int>(place), is_number_column(column), column.definition);
    }
    note_columns();
    ImGui::PopStyleColor();
    draw_column_menu();
    take_sorting();
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(rows_->size()));
    find_selection(inputs);
    if (scroll_to_) {
        const std::size_t top = *scroll_to_ - std::min<std::size_t>(*scroll_to_, 2);
        ImGui::SetScrollY(ImGui::GetTextLineHeightWithSpacing() * static_cast<float>(top));
        scroll_to_.reset();
    }
    first_row_y_ = ImGui::GetCursorScreenPos().y + ImGui::GetTextLineHeight() / 2;
    drawn_ = {};
    while (clipper.Step()) {
        for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
            const auto place = static_cast<std::size_t>(i);
            draw_row((*rows_)[place], inputs, look, requests);
            drawn_.in_view += is_row_in_view(first_row_y_ - ImGui::GetTextLineHeight() / 2);
            ++drawn_.count;
            drawn_.last = place;
        }
    }
    ImGui::EndTable();
}

bool TablePanel::save_rows(Frame& frame) {
    if (!table_ || rows_->empty() || busy()) return false;
    frame.requests.add(request_to_save());
    return true;
}

void TablePanel::draw(Frame& frame) {
    draw_part_choice(frame);
    if (frame.loaded() && frame.loaded()->contexts.size() > 1) ImGui::SameLine();
    draw_contents(panel_inputs(frame), frame.look, frame.requests);
}

void TablePanel::draw_contents(const PanelInputs& inputs, const Look& look, Requests& requests) {
    if (!inputs.context) {
        ImGui::TextDisabled("%s", why_nothing_to_show(inputs));
        return;
    }
    if (made_ && made_->context != inputs.context && !inputs.live) forget();
    make(inputs);
    put_in_order(inputs);
    draw_tools(inputs, look, requests);
    if (!message_.empty()) requests.add(Notify{std::exchange(message_, {})});
    if (!table_) return;
    ImGui::PushFont(look.fonts.regular, type::kTable);
    if (table_->row_count() == 0 && !busy())
        say_why_empty(inputs, title_);
    else
        draw_table(inputs, look, requests);
    ImGui::PopFont();
}

}  // namespace lanescope
