#include <algorithm>
#include <optional>

#include "core/analysis/lanes.h"
#include "core/base/format.h"
#include "ui/panels/table_cells.h"
#include "ui/panels/tables.h"

namespace lanescope {

namespace {

constexpr int kFirstNumber = 3;  // columns from here on are numbers

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

// Names of columns of numbers stand over their numbers, at the right.
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

void LanesTable::set_rows(std::vector<LaneRow> rows) {
    rows_ = std::move(rows);
    sorted_ = false;
}

void LanesTable::sort(const ImGuiTableSortSpecs& specs) {
    if (specs.SpecsCount == 0) return;
    const int column = specs.Specs[0].ColumnIndex;
    const bool up = specs.Specs[0].SortDirection == ImGuiSortDirection_Ascending;
    const auto less = [column](const LaneRow& a, const LaneRow& b) {
        switch (column) {
            case 0:
                return a.name < b.name;
            case 1:
                return a.process < b.process;
            case 2:
                return a.kind < b.kind;
            case 3:
                return a.events < b.events;
            case 4:
                return a.depth < b.depth;
            case 5:
                return a.first < b.first;
            default:
                return a.busy < b.busy;
        }
    };
    std::stable_sort(rows_.begin(), rows_.end(), [&](const LaneRow& a, const LaneRow& b) {
        return up ? less(a, b) : less(b, a);
    });
}

void LanesTable::draw(const Look& look, Requests& requests) {
    if (rows_.empty()) {
        ImGui::TextDisabled("The lanes of a trace are listed here once it is open.");
        return;
    }
    ImGui::PushFont(look.fonts.regular, type::kTable);
    const ImGuiTableFlags flags = ImGuiTableFlags_Sortable | ImGuiTableFlags_ScrollY |
                                  ImGuiTableFlags_Resizable | ImGuiTableFlags_NoBordersInBody;
    if (ImGui::BeginTable("lanes", 7, flags)) {
        ImGui::TableSetupScrollFreeze(0, 1);
        const ImGuiTableColumnFlags number =
            ImGuiTableColumnFlags_WidthFixed | ImGuiTableColumnFlags_PreferSortDescending;
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
            specs->SpecsDirty = false;
            sorted_ = true;
        }
        ImGuiListClipper clipper;
        clipper.Begin(static_cast<int>(rows_.size()));
        while (clipper.Step()) {
            for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
                const LaneRow& row = rows_[static_cast<std::size_t>(i)];
                ImGui::TableNextRow();
                ImGui::TableNextColumn();
                ImGui::PushID(i);
                if (ImGui::Selectable(row.name.c_str(), false,
                                      ImGuiSelectableFlags_SpanAllColumns)) {
                    requests.show_lane = row.lane;
                }
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
                right_aligned(row.depth && row.busy ? format_duration(*row.busy)
                                                    : std::string(kUnknown));
            }
        }
        ImGui::EndTable();
    }
    ImGui::PopFont();
}

}  // namespace lanescope
