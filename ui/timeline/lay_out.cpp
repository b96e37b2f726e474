// The rows of the view, and the layout made of them.
#include <algorithm>
#include <optional>

#include "core/view/row_heights.h"
#include "ui/timeline/timeline_view.h"

namespace lanescope {

namespace {

constexpr double kStillSeconds = 0.2;  // before rows that the view does not need go

// A row that keeps its place in the window while others come and go.
struct AnchoredRow {
    LaneId lane = 0;
    std::optional<uint32_t> depth;  // none: the lane itself
    double y = 0;                   // from the top of the lanes
};

std::optional<AnchoredRow> anchored(const Timeline& timeline, uint32_t index) {
    const LaneLayout& layout = timeline.layout;
    if (index >= layout.rows.size() || is_of_group(layout.rows[index].kind)) return std::nullopt;
    const LayoutRow& row = layout.rows[index];
    const LaneBox& lane = layout.lanes[row.lane];
    const double y = row.y - timeline.scroll_y;
    if (y + row.height < 0 || y > timeline.areas.lanes.height()) return std::nullopt;
    if (row.kind == RowKind::slices) return AnchoredRow{lane.id, row.depth, y};
    return AnchoredRow{lane.id, std::nullopt, lane.y - timeline.scroll_y};
}

// The row of the selection, else the one under the pointer, else the first that is visible.
std::optional<AnchoredRow> anchored_row(const Timeline& timeline) {
    const LaneLayout& layout = timeline.layout;
    if (const SliceRef slice = timeline.selected) {
        const uint32_t depth = shown_depth(timeline.trace(), layout.shown, slice);
        if (const auto row = anchored(timeline, layout.row_of(slice.lane, depth))) return row;
    }
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    if (timeline.areas.lanes.holds(mouse)) {
        const double y = static_cast<double>(mouse.y - timeline.areas.lanes.y0);
        if (const auto row = anchored(timeline, layout.row_at(y + timeline.scroll_y))) return row;
    }
    uint32_t first = layout.first_row_below(timeline.scroll_y);
    while (first < layout.rows.size() && is_of_group(layout.rows[first].kind)) ++first;
    return anchored(timeline, first);
}

void put_back(Timeline& timeline, const AnchoredRow& row) {
    const LaneLayout& layout = timeline.layout;
    const uint32_t box = layout.box_of[row.lane];
    if (box == LaneLayout::none) return;
    if (!row.depth) {
        timeline.scroll_y = layout.lanes[box].y - row.y;
    } else if (const uint32_t at = layout.row_of(row.lane, *row.depth); at != LaneLayout::none) {
        timeline.scroll_y = layout.rows[at].y - row.y;
    }
}

}  // namespace

void TimelineView::choose_rows(const Timeline& timeline, double seconds) {
    if (timeline.arrangement.all_rows) {
        rows_ = {};
        return;
    }
    const Camera& camera = timeline.camera;
    const TimeRange now = camera.view().range();
    const TimeRange then = camera.target().range();
    const TimeRange range{std::min(now.begin, then.begin), std::max(now.end, then.end)};
    const bool same = rows_.index == timeline.index.get() && rows_.range == range &&
                      rows_.selected == timeline.selected;
    const bool still = same && !camera.moving() && drag_.kind == Drag::none;
    rows_.still = still ? rows_.still + seconds : 0;
    if (same && !rows_.settling()) return;
    const bool is_fresh = !rows_.index;
    if (!same) {
        rows_.wanted = rows_for(timeline.trace(), timeline.index->shown, range, timeline.selected);
        rows_.index = timeline.index.get();
        rows_.range = range;
        rows_.selected = timeline.selected;
    }
    if (is_fresh || !camera.has_motion() || rows_.still >= kStillSeconds ||
        rows_.shown.lanes.size() != rows_.wanted.lanes.size())
        rows_.shown = rows_.wanted;
    else
        rows_.shown = union_of(rows_.shown, rows_.wanted);
}

void TimelineView::lay_out(Timeline& timeline, const Look& look, double room) {
    const bool has_rows = !timeline.layout.rows.empty() || !timeline.pinned.layout.rows.empty();
    const bool same = laid_out_.index == timeline.index.get() && laid_out_.scale == look.scale &&
                      laid_out_.room == room && has_rows &&
                      laid_out_.arrangement == timeline.arrangement;
    if (same && laid_out_.rows == rows_.shown) return;
    const std::optional<AnchoredRow> row = same ? anchored_row(timeline) : std::nullopt;
    build_layouts(timeline, look, room);
    if (row) put_back(timeline, *row);
}

void TimelineView::build_layouts(Timeline& timeline, const Look& look, double room) {
    const ShownLanesPtr& shown = timeline.index->shown;
    Measures measures = scaled(Measures{}, look.scale);
    // Keeps a height of the pinned lanes that the user has chosen.
    if (timeline.arrangement.dock_height <= 0)
        measures = stretched(measures, timeline.trace(), timeline.arrangement, shown, room);
    timeline.layout =
        build_layout(timeline.trace(), timeline.arrangement, measures, shown, rows_.shown);
    timeline.pinned.layout =
        build_pinned_layout(timeline.trace(), timeline.arrangement, measures, shown);
    laid_out_.index = timeline.index.get();
    laid_out_.arrangement = timeline.arrangement;
    laid_out_.rows = rows_.shown;
    laid_out_.scale = look.scale;
    laid_out_.room = room;
    laid_out_.measures = measures;
}

}  // namespace lanescope
