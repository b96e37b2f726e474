#include "ui/panels/range_panel.h"

#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <numeric>

#include "core/base/format.h"
#include "core/trace/devices.h"
#include "core/trace/short_name.h"
#include "ui/commands/panel_names.h"
#include "ui/panels/panel_column.h"
#include "ui/panels/table_cells.h"

namespace lanescope {

namespace {

constexpr float kCount = 50;  // widths of columns
constexpr float kTime = 66;

std::string gpu_name(const Trace& trace, const GpuInRange& gpu) {
    if (gpu.device >= 0) return fmt::format("{} {}", device_word(trace), gpu.device);
    const std::string_view name = trace.strings[trace.processes[gpu.process].name];
    return std::string(name.empty() ? device_word(trace) : name);
}

std::string lanes_text(const Trace& trace, const std::vector<LaneId>& lanes) {
    if (lanes.empty()) return "all";
    if (lanes.size() == 1) return std::string(trace.strings[trace.lanes[lanes[0]].name]);
    return format_count(static_cast<int64_t>(lanes.size()));
}

std::string part_text(Nanos part, Nanos whole) {
    return format_duration(part) + " · " +
           format_percent(static_cast<double>(part) / static_cast<double>(whole));
}

EventClass class_of(const Trace& trace, const NameInRange& sum) {
    return trace.event_class(sum.name, sum.category);
}

double sort_value(const NameInRange& sum, int column) {
    switch (column) {
        case 1:
            return static_cast<double>(sum.count);
        case 3:
            return static_cast<double>(sum.self);
        case 4:
            return sum.mean();
        default:
            return static_cast<double>(sum.total);
    }
}

}  // namespace

std::vector<uint32_t> ordered_rows(const Trace& trace, const RangeSummary& summary,
                                   RangePanel::Form form, RangePanel::Order order) {
    const bool names = form == RangePanel::Form::names;
    std::vector<uint32_t> rows(names ? summary.names.size() : summary.lanes.size());
    std::iota(rows.begin(), rows.end(), 0U);
    const auto text = [&](uint32_t row) {
        return names ? short_name(trace.strings[summary.names[row].name],
                                  class_of(trace, summary.names[row]))
                     : trace.strings[trace.lanes[summary.lanes[row].lane].name];
    };
    const auto value = [&](uint32_t row) {
        if (names) return sort_value(summary.names[row], order.column);
        const LaneInRange& lane = summary.lanes[row];
        return static_cast<double>(order.column == 1 ? static_cast<Nanos>(lane.count) : lane.busy);
    };
    std::ranges::stable_sort(rows, [&](uint32_t a, uint32_t b) {
        if (!order.up) std::swap(a, b);
        return order.column == 0 ? text(a) < text(b) : value(a) < value(b);
    });
    return rows;
}

void RangePanel::make(const PanelInputs& inputs) {
    if (made_ == wanted_ || making_.busy()) return;
    if (!wanted_.query) {
        made_ = wanted_;
        summary_.reset();
        rows_.clear();
        sorted_ = sorting_wanted_;
        return;
    }
    making_.ask(
        *inputs.jobs,
        [wanted = wanted_, sorting = sorting_wanted_] {
            auto summary = std::make_shared<const RangeSummary>(
                summarise_range(*wanted.context, *wanted.query));
            auto rows =
                ordered_rows(wanted.context->trace(), *summary, sorting.form, sorting.order);
            return Result{std::move(summary), std::move(rows)};
        },
        [this, wanted = wanted_, sorting = sorting_wanted_](Result result) {
            made_ = wanted;
            summary_ = std::move(result.summary);
            rows_ = std::move(result.rows);
            sorted_ = sorting;
        },
        JobQueue::analysis);
}

// A range may have a hundred thousand names: too many to sort in a frame.
void RangePanel::put_in_order(const PanelInputs& inputs) {
    if (making_.busy() || ordering_.busy() || !summary_ || sorted_ == sorting_wanted_) return;
    ordering_.ask(
        *inputs.jobs,
        [summary = summary_, context = inputs.context, sorting = sorting_wanted_] {
            return ordered_rows(context->trace(), *summary, sorting.form, sorting.order);
        },
        [this, summary = summary_, sorting = sorting_wanted_](std::vector<uint32_t> rows) {
            if (summary != summary_) return;
            rows_ = std::move(rows);
            sorted_ = sorting;
        },
        JobQueue::analysis);
}

void RangePanel::draw_facts(const Trace& trace, const Look& look) {
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {look.px(8), look.px(1)});
    PanelColumn c = panel_column(look);
    const RangeQuery& query = summary_->query;
    ImGui::PushFont(look.fonts.medium, type::kName);
    ImGui::TextUnformatted(format_duration(query.time.length()).c_str());
    ImGui::PopFont();
    row(c, "From", format_duration_exact(query.time.begin - trace.origin));
    row(c, "To", format_duration_exact(query.time.end - trace.origin));
    row(c, query.lanes.size() == 1 ? "Lane" : "Lanes", lanes_text(trace, query.lanes));
    row(c, "Slices that begin in it", format_count(static_cast<int64_t>(summary_->slices)));
    for (const GpuInRange& gpu : summary_->devices) {
        row(c, gpu_name(trace, gpu) + " busy", part_text(gpu.busy, query.time.length()));
        row(c, gpu_name(trace, gpu) + " idle", part_text(gpu.idle, query.time.length()));
    }
    ImGui::Dummy({0, look.px(4)});
    ImGui::PopStyleVar();
}

void RangePanel::draw_forms(const Look& look) {
    ImGui::PushFont(look.fonts.regular, type::kTable);
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {look.px(8), look.px(3)});
    ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, 0);
    const char* const words[] = {"By name", "By lane"};
    for (int i = 0; i < 2; ++i) {
        const bool chosen = i == static_cast<int>(sorting_wanted_.form);
        if (i > 0) ImGui::SameLine(0, look.px(3));
        ImGui::PushStyleColor(ImGuiCol_Text, chosen ? look.colors.hi : look.colors.mid);
        ImGui::PushStyleColor(ImGuiCol_Button, chosen ? with_alpha(look.colors.accent, 0.2f) : 0);
        if (ImGui::Button(words[i]) && !chosen) sorting_wanted_ = {static_cast<Form>(i), {}};
        ImGui::PopStyleColor(2);
        const ImVec2 min = ImGui::GetItemRectMin();
        const ImVec2 max = ImGui::GetItemRectMax();
        form_places_[i] = {(min.x + max.x) / 2, (min.y + max.y) / 2};
    }
    ImGui::PopStyleVar(2);
    ImGui::PopFont();
}

void RangePanel::take_sorting() {
    ImGuiTableSortSpecs* const specs = ImGui::TableGetSortSpecs();
    if (!specs || !specs->SpecsDirty || specs->SpecsCount == 0) return;
    specs->SpecsDirty = false;
    const Order wanted{specs->Specs[0].ColumnIndex,
                       specs->Specs[0].SortDirection == ImGuiSortDirection_Ascending};
    sorting_wanted_.order = wanted;
}

// A name on a line of its own, over all columns; below it a bar in the colour of its slices,
// relative to the largest.
void RangePanel::draw_head(std::string_view name, double part, ImU32 color, const Look& look) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float line = ImGui::GetTextLineHeight();
    const float room = ImGui::GetCurrentWindow()->WorkRect.Max.x - at.x;
    ImGui::TablePushBackgroundChannel();
    draw_text_cut(*ImGui::GetWindowDrawList(), look, look.fonts.regular, type::kTable, at,
                  look.colors.hi, name, row_width_);
    ImGui::TablePopBackgroundChannel();
    const float y = std::round(at.y + line * 1.5f);
    const auto length = static_cast<float>(part) * std::min(room - look.px(8), look.px(120));
    ImGui::GetWindowDrawList()->AddRectFilled(
        {at.x, y - look.px(2)}, {at.x + std::max(length, 1.0f), y + look.px(2)}, color);
}

// A number on the lower line.
void RangePanel::draw_number(const std::string& text, const Look& look) {
    if (!ImGui::TableNextColumn()) return;
    ImGui::SetCursorPosY(ImGui::GetCursorPosY() + ImGui::GetTextLineHeight());
    ImGui::PushStyleColor(ImGuiCol_Text, look.colors.mid);
    right_aligned(text);
    ImGui::PopStyleColor();
}

void RangePanel::draw_name(const Trace& trace, const NameInRange& sum, const Look& look) {
    const EventClass event_class = class_of(trace, sum);
    const Nanos longest = summary_->names.front().total;
    draw_head(short_name(trace.strings[sum.name], event_class),
              static_cast<double>(sum.total) / static_cast<double>(std::max<Nanos>(1, longest)),
              look.colors.mark[static_cast<std::size_t>(event_class)], look);
    draw_number(format_count(static_cast<int64_t>(sum.count)), look);
    draw_number(format_duration(sum.total), look);
    draw_number(format_duration(sum.self), look);
    draw_number(format_duration(sum.mean()), look);
}

void RangePanel::draw_lane(const Trace& trace, const LaneInRange& sum, const Look& look) {
    const double part =
        static_cast<double>(sum.busy) / static_cast<double>(summary_->query.time.length());
    draw_head(trace.strings[trace.lanes[sum.lane].name], part, look.colors.accent, look);
    draw_number(format_count(static_cast<int64_t>(sum.count)), look);
    draw_number(format_duration(sum.busy), look);
    draw_number(format_percent(part), look);
}

void RangePanel::draw_table(const Trace& trace, SliceRef selected, const Look& look,
                            Requests& requests) {
    const bool names = sorted_.form == Form::names;
    // Without the space for the scrollbar.
    row_width_ = ImGui::GetContentRegionAvail().x - look.px(16);
    const ImGuiTableFlags flags = ImGuiTableFlags_Sortable | ImGuiTableFlags_ScrollY |
                                  ImGuiTableFlags_Resizable | ImGuiTableFlags_Hideable |
                                  ImGuiTableFlags_NoBordersInBody;
    if (!ImGui::BeginTable(names ? "names" : "lanes", names ? 5 : 4, flags)) return;
    ImGui::TableSetupScrollFreeze(0, 1);
    const auto number = ImGuiTableColumnFlags{ImGuiTableColumnFlags_WidthFixed} |
                        ImGuiTableColumnFlags{ImGuiTableColumnFlags_PreferSortDescending};
    ImGui::TableSetupColumn(names ? "Name" : "Lane", ImGuiTableColumnFlags_WidthStretch);
    ImGui::TableSetupColumn("Count", number, look.px(kCount));
    ImGui::TableSetupColumn(names ? "Total" : "Busy", number | ImGuiTableColumnFlags_DefaultSort,
                            look.px(kTime));
    ImGui::TableSetupColumn(names ? "Self" : "Of range", number, look.px(kTime));
    if (names) ImGui::TableSetupColumn("Mean", number, look.px(kTime));
    ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
    ImGui::PushStyleColor(ImGuiCol_Text, look.colors.low);
    for (int column = 0; column < ImGui::TableGetColumnCount(); ++column)
        column_header(look, column, column > 0, {});
    ImGui::PopStyleColor();
    take_sorting();
    const float height = 2 * ImGui::GetTextLineHeight() + look.px(4);
    first_row_y_ = ImGui::GetCursorScreenPos().y + height / 2;
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(rows_.size()));
    while (clipper.Step()) {
        for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
            const uint32_t at = rows_[static_cast<std::size_t>(i)];
            const SliceRef longest =
                names ? summary_->names[at].longest : summary_->lanes[at].longest;
            ImGui::TableNextRow();
            ImGui::TableNextColumn();
            ImGui::PushID(i);
            const bool of_selection =
                names && selected && trace.name_id(selected) == summary_->names[at].name;
            if (ImGui::Selectable("##row", of_selection, ImGuiSelectableFlags_SpanAllColumns,
                                  {0, height})) {
                if (names && longest)
                    requests.add(ZoomToSlice{longest, made_.snapshot});
                else if (!names)
                    requests.add(ShowLane{summary_->lanes[at].lane, made_.snapshot});
            }
            ImGui::PopID();
            ImGui::SameLine(0, 0);
            if (names)
                draw_name(trace, summary_->names[at], look);
            else
                draw_lane(trace, summary_->lanes[at], look);
        }
    }
    ImGui::EndTable();
}

void RangePanel::forget() {
    making_.drop();
    ordering_.drop();
    wanted_ = {};
    made_ = {};
    summary_.reset();
    rows_.clear();
}

void RangePanel::draw_contents(const PanelInputs& inputs, const std::vector<LaneId>& lanes,
                               const Look& look, Requests& requests) {
    wanted_ = {inputs.context, std::nullopt, inputs.snapshot()};
    if (inputs.context && inputs.range) wanted_.query = RangeQuery{*inputs.range, lanes};
    make(inputs);
    put_in_order(inputs);
    if (inputs.live && inputs.range && !inputs.context) {
        ImGui::TextDisabled("%s", why_nothing_to_show(inputs));
        return;
    }
    if (!wanted_.query) {
        ImGui::PushStyleColor(ImGuiCol_Text, look.colors.low);
        ImGui::PushTextWrapPos(0);
        ImGui::TextUnformatted(
            "Drag over lanes to mark a range of time in them, or along the ruler to mark it in all "
            "lanes; R marks the time of the selected slice. This panel shows the contents of the "
            "range.");
        ImGui::PopTextWrapPos();
        ImGui::PopStyleColor();
        return;
    }
    // While another range is being computed, the last result of the same trace stays.
    if (!summary_ || (made_.context != inputs.context && !inputs.live)) {
        ImGui::TextDisabled("Computing …");
        return;
    }
    const Trace& trace = made_.context->trace();
    draw_facts(trace, look);
    draw_forms(look);
    if (sorted_.form != sorting_wanted_.form) return;
    if (rows_.empty()) {
        ImGui::TextDisabled("Nothing begins in this range.");
        return;
    }
    ImGui::PushFont(look.fonts.regular, type::kTable);
    const SliceRef selected = made_.context == inputs.context ? inputs.selected : SliceRef{};
    draw_table(trace, selected, look, requests);
    ImGui::PopFont();
}

std::string_view RangePanel::name() const {
    return kRangePanel;
}

void RangePanel::draw(Frame& frame) {
    draw_part_choice(frame);
    draw_contents(panel_inputs(frame), marked_lanes(frame), frame.look, frame.requests);
}

}  // namespace lanescope
