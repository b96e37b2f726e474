#include "ui/panels/lanes_panel.h"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/analysis/structure/lanes.h"
#include "core/base/format.h"
#include "ui/commands/panel_names.h"
#include "ui/panels/table_cells.h"

namespace lanescope {

namespace {

constexpr int kFirstNumber = 5;  // columns from this index on hold numbers

uint64_t events_of(const Lane& lane) {
    return lane.slice_count + (lane.instants ? lane.instants->time.size() : 0) +
           (lane.counter ? lane.counter->time.size() : 0);
}

Nanos first_time(const Lane& lane, Nanos origin) {
    Nanos first = INT64_MAX;
    for (const auto& chunk : lane.chunks) {
        if (!chunk->rows.empty() && chunk->size() > 0)
            first = std::min(first, chunk->start[chunk->rows[0].begin]);
    }
    if (lane.instants && !lane.instants->time.empty())
        first = std::min(first, lane.instants->time[0]);
    if (lane.counter && !lane.counter->time.empty()) first = std::min(first, lane.counter->time[0]);
    return first == INT64_MAX ? 0 : first - origin;
}

// Titles of number columns are right-aligned, like the numbers.
void header_row(const Look& look) {
    ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
    ImGui::PushStyleColor(ImGuiCol_Text, look.colors.low);
    for (int column = 0; column < ImGui::TableGetColumnCount(); ++column)
        column_header(look, column, column >= kFirstNumber, {});
    ImGui::PopStyleColor();
}

}  // namespace

std::vector<LaneRow> lane_rows(const Trace& trace) {
    std::vector<LaneRow> rows;
    for (LaneId id = 0; id < trace.lanes.size(); ++id) {
        const Lane& lane = trace.lanes[id];
        const Process& process = trace.processes[lane.process];
        const std::string_view name = trace.strings[process.name];
        LaneRow row{id,
                    std::string(trace.strings[lane.name]),
                    std::string(name.empty() ? trace.strings[process.pid] : name),
                    std::string(lane_kind_name(lane.kind)),
                    events_of(lane),
                    lane.depth_count,
                    first_time(lane, trace.origin),
                    std::nullopt};
        if (row.events > 0) rows.push_back(std::move(row));
    }
    return rows;
}

std::vector<LaneRow> with_busy_times(const Trace& trace, std::vector<LaneRow> rows) {
    for (LaneRow& row : rows) row.busy = busy_time(trace, trace.lanes[row.lane], std::nullopt);
    return rows;
}

void LanesPanel::set_rows(std::vector<LaneRow> rows) {
    rows_ = std::move(rows);
    sorted_ = false;
    choose();
}

void LanesPanel::sort(const ImGuiTableSortSpecs& specs) {
    if (specs.SpecsCount == 0) return;
    const int column = specs.Specs[0].ColumnIndex;
    const bool up = specs.Specs[0].SortDirection == ImGuiSortDirection_Ascending;
    const auto less = [column](const LaneRow& a, const LaneRow& b) {
        switch (column) {
            case 2:
                return a.name < b.name;
            case 3:
                return a.process < b.process;
            case 4:
                return a.kind < b.kind;
            case 5:
                return a.events < b.events;
            case 6:
                return a.depth < b.depth;
            case 7:
                return a.first < b.first;
            default:
                return a.busy < b.busy;
        }
    };
    std::stable_sort(rows_.begin(), rows_.end(), [&](const LaneRow& a, const LaneRow& b) {
        return up ? less(a, b) : less(b, a);
    });
}

void LanesPanel::choose() {
    chosen_.clear();
    const auto lower = [](std::string text) {
        for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        return text;
    };
    const std::string part = lower(filter_.data());
    for (uint32_t i = 0; i < rows_.size(); ++i) {
        const LaneRow& row = rows_[i];
        if (lower(row.name + "\n" + row.process + "\n" + row.kind).find(part) != std::string::npos)
            chosen_.push_back(i);
    }
}

std::vector<LaneId> LanesPanel::shown() const {
    std::vector<LaneId> lanes;
    for (const uint32_t i : chosen_) lanes.push_back(rows_[i].lane);
    return lanes;
}

void LanesPanel::draw_tools(LaneArrangement& arrangement, const Look& look) {
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {look.px(8), look.px(3)});
    ImGui::SetNextItemWidth(look.px(220));
    if (ImGui::InputTextWithHint("##filter", "Only lanes with …", filter_.data(), filter_.size()))
        choose();
    const ImVec2 min = ImGui::GetItemRectMin();
    const ImVec2 max = ImGui::GetItemRectMax();
    filter_place_ = {(min.x + max.x) / 2, (min.y + max.y) / 2};
    const auto button = [](const char* text, bool enabled) {
        ImGui::SameLine();
        ImGui::BeginDisabled(!enabled);
        const bool pressed = ImGui::Button(text);
        ImGui::EndDisabled();
        return pressed;
    };
    if (button("Show these", !arrangement.hidden.empty()))
        for (const LaneId lane : shown()) arrangement.hidden.erase(lane);
    if (button("Hide these", !chosen_.empty()))
        for (const LaneId lane : shown()) arrangement.hidden.insert(lane);
    ImGui::SameLine();
    ImGui::AlignTextToFramePadding();
    ImGui::PushStyleColor(ImGuiCol_Text, look.colors.mid);
    const auto count = [](std::size_t n) { return format_count(static_cast<int64_t>(n)); };
    const std::string status =
        count(chosen_.size()) + (chosen_.size() == 1 ? " lane" : " lanes") +
        (arrangement.hidden.empty() ? "" : "  ·  " + count(arrangement.hidden.size()) + " hidden");
    ImGui::TextUnformatted(status.c_str());
    ImGui::PopStyleColor();
    ImGui::PopStyleVar();
}

void LanesPanel::draw_row(const LaneRow& row, LaneArrangement& arrangement, const Look& look,
                          Requests& requests) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::PushID(static_cast<int>(row.lane));
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {0, 0});
    bool visible = !arrangement.hidden.contains(row.lane);
    if (ImGui::Checkbox("##shown", &visible)) {
        if (visible)
            arrangement.hidden.erase(row.lane);
        else
            arrangement.hidden.insert(row.lane);
    }
    ImGui::TableNextColumn();
    bool pinned = std::count(arrangement.pinned.begin(), arrangement.pinned.end(), row.lane) > 0;
    if (ImGui::Checkbox("##pinned", &pinned)) toggle_pin(arrangement, row.lane);
    ImGui::PopStyleVar();
    ImGui::TableNextColumn();
    if (ImGui::Selectable(row.name.c_str(), false,
                          ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowOverlap))
        requests.add(ShowLane{row.lane});
    ImGui::PopID();
    ImGui::PushStyleColor(ImGuiCol_Text, look.colors.mid);
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(row.process.c_str());
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(row.kind.c_str());
    ImGui::PopStyleColor();
    ImGui::TableNextColumn();
    right_aligned(format_count(static_cast<int64_t>(row.events)));
    ImGui::TableNextColumn();
    right_aligned(row.depth ? format_count(row.depth) : std::string(kUnknown));
    ImGui::TableNextColumn();
    right_aligned(format_duration(row.first));
    ImGui::TableNextColumn();
    right_aligned(row.depth && row.busy ? format_duration(*row.busy) : std::string(kUnknown));
}

void LanesPanel::draw_contents(Timeline& timeline, const Look& look, Requests& requests) {
    if (rows_.empty() || !timeline.index) {
        ImGui::TextDisabled("The lanes of a trace are listed here once it is open.");
        return;
    }
    arrange(timeline,
            [&](LaneArrangement& arrangement) { draw_lanes(arrangement, look, requests); });
}

void LanesPanel::draw_lanes(LaneArrangement& arrangement, const Look& look, Requests& requests) {
    ImGui::PushFont(look.fonts.regular, type::kTable);
    draw_tools(arrangement, look);
    const ImGuiTableFlags flags = ImGuiTableFlags_Sortable | ImGuiTableFlags_ScrollY |
                                  ImGuiTableFlags_Resizable | ImGuiTableFlags_NoBordersInBody;
    if (ImGui::BeginTable("lanes", 9, flags)) {
        ImGui::TableSetupScrollFreeze(0, 1);
        const ImGuiTableColumnFlags number =
            ImGuiTableColumnFlags_WidthFixed | ImGuiTableColumnFlags_PreferSortDescending;
        const ImGuiTableColumnFlags box =
            ImGuiTableColumnFlags_WidthFixed | ImGuiTableColumnFlags_NoSort;
        ImGui::TableSetupColumn("Shown", box, look.px(48));
        ImGui::TableSetupColumn("Pinned", box, look.px(52));
        ImGui::TableSetupColumn("Lane", ImGuiTableColumnFlags_WidthStretch, 3);
        ImGui::TableSetupColumn("Process", ImGuiTableColumnFlags_WidthStretch, 2);
        ImGui::TableSetupColumn("Kind", ImGuiTableColumnFlags_WidthFixed, look.px(80));
        ImGui::TableSetupColumn("Events", number, look.px(90));
        ImGui::TableSetupColumn("Depth", number, look.px(70));
        ImGui::TableSetupColumn("First at", number, look.px(100));
        ImGui::TableSetupColumn("Busy", number | ImGuiTableColumnFlags_DefaultSort, look.px(100));
        header_row(look);
        if (ImGuiTableSortSpecs* specs = ImGui::TableGetSortSpecs();
            specs && (specs->SpecsDirty || !sorted_)) {
            sort(*specs);
            choose();
            specs->SpecsDirty = false;
            sorted_ = true;
        }
        first_row_y_ = ImGui::GetCursorScreenPos().y + ImGui::GetTextLineHeight() / 2;
        ImGuiListClipper clipper;
        clipper.Begin(static_cast<int>(chosen_.size()));
        while (clipper.Step())
            for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i)
                draw_row(rows_[chosen_[static_cast<std::size_t>(i)]], arrangement, look, requests);
        ImGui::EndTable();
    }
    ImGui::PopFont();
}

std::string_view LanesPanel::name() const {
    return kLanesPanel;
}

void LanesPanel::draw(Frame& frame) {
    draw_contents(frame.timeline, frame.look, frame.requests);
}

void LanesPanel::describe(const Frame& frame, nlohmann::json& state) const {
    if (!frame.timeline.index) return;
    state["lanes_panel"] = {{"lanes", shown()},
                            {"first_row_y", first_row_y_},
                            {"filter", {filter_place_.x, filter_place_.y}}};
}

}  // namespace lanescope
