#include "core/view/pick.h"

#include <algorithm>
#include <cmath>

#include "core/trace/query.h"
#include "core/view/row_walk.h"

namespace lanescope {

namespace {

// Finds what is nearest to a point in a row: a wide slice under it, then the short slices of its
// pixel column, then the closest item.
class NearestSlice {
  public:
    NearestSlice(const Viewport& view, double min_rect_px, double x)
        : view_(view),
          min_rect_nanos_(min_rect_px * view.nanos_per_px()),
          x_(x),
          column_(std::floor(x)) {}

    void slices(const Chunk& chunk, uint32_t begin, uint32_t end) {
        for (uint32_t i = begin; i < end; ++i)
            lone_slice({chunk.first + i, chunk.start[i], chunk.end(i), 0, 0});
    }

    void lone_slice(const LoneSlice& slice) {
        const double x0 = view_.px_of(slice.start);
        const double x1 = view_.px_of(slice.stop);
        const auto length = static_cast<double>(slice.stop - slice.start);
        if (length < min_rect_nanos_) {
            const double first = std::floor(x0);
            take_short(first, std::max(std::ceil(x1), first + 1), 1, slice.index, length);
        } else {
            take(x_ < x0 ? x0 - x_ : std::max(x_ - x1, 0.0), true, 1, slice.index, length);
        }
    }

    void short_slices(const ShortSlices& group) {
        const CellColumns columns = columns_of_cell(view_.px_of(group.cell_start), group.cell_width,
                                                    view_.width / view_.span);
        take_short(columns.begin, columns.end, group.count, group.longest,
                   static_cast<double>(shortest_of_code(group.length)));
    }

    double distance() const { return distance_; }
    uint32_t count() const { return count_; }
    uint32_t longest() const { return longest_; }

  private:
    // Short slices that are visible in the pixel columns [first, end).
    void take_short(double first, double end, uint32_t count, uint32_t longest, double length) {
        double distance = 0;
        if (column_ < first) distance = first - x_;
        if (column_ >= end) distance = x_ - end;
        take(distance, false, count, longest, length);
    }

    void take(double distance, bool wide, uint32_t count, uint32_t longest, double length) {
        const bool nearer = distance < distance_ || (distance == distance_ && wide && !wide_);
        if (nearer) {
            distance_ = distance;
            wide_ = wide;
            count_ = count;
            longest_ = longest;
            length_ = length;
        } else if (distance == distance_ && wide == wide_) {
            count_ += count;
            if (length > length_) {
                length_ = length;
                longest_ = longest;
            }
        }
    }

    const Viewport& view_;
    double min_rect_nanos_;
    double x_;
    double column_;
    double distance_ = INFINITY;
    bool wide_ = false;
    uint32_t count_ = 0;
    uint32_t longest_ = 0;
    double length_ = 0;
};

void pick_slice(const ViewIndex& index, const Viewport& view, double x, uint32_t depth, LaneId lane,
                const CullOptions& options, double reach, Hit& hit) {
    NearestSlice nearest(view, options.min_rect_px, x);
    const double column = std::floor(x);
    // Extended at each side, since short slices may be drawn up to a cell away from their position.
    const double aside = reach + options.min_rect_px;
    const TimeRange range{view.time_at(column - aside), view.time_at(column + 1 + aside) + 1};
    RowWalk walk(range, cell_nanos(view, options), nearest);
    walk.lane(shown_lane(*index.trace, index.shown, lane), depth);
    if (nearest.distance() > reach) return;
    hit.kind = nearest.count() == 1 ? HitKind::slice : HitKind::run;
    hit.count = nearest.count();
    uint32_t found = nearest.longest();
    if (index.shown && index.shown->lanes[lane]) found = index.shown->lanes[lane]->to_trace[found];
    hit.slice = {lane, found};
}

void pick_instant(const Instants& instants, const Viewport& view, double x, double reach,
                  Hit& hit) {
    const auto& time = instants.time;
    const double column = std::floor(x);
    const Nanos* end = std::lower_bound(time.begin(), time.end(), view.time_at(column + 1) + 1);
    const Nanos* begin = std::lower_bound(time.begin(), end, view.time_at(column));
    while (begin != end && view.px_of(*begin) < column) ++begin;
    while (begin != end && view.px_of(end[-1]) >= column + 1) --end;
    if (begin == end) {
        // None in this column: use the nearer neighbour.
        const double after = end == time.end() ? INFINITY : view.px_of(*end) - x;
        const double before = begin == time.begin() ? INFINITY : x - view.px_of(begin[-1]);
        if (std::min(after, before) > reach) return;
        begin = before <= after ? begin - 1 : end;
        end = begin + 1;
    }
    hit.kind = HitKind::instant;
    hit.instant = static_cast<uint32_t>(begin - time.begin());
    hit.count = static_cast<uint32_t>(end - begin);
}

void pick_counter(const CounterSeries& series, Hit& hit) {
    const Nanos* after = std::upper_bound(series.time.begin(), series.time.end(), hit.time);
    if (after == series.time.begin()) return;
    hit.kind = HitKind::counter;
    hit.value = series.value[static_cast<std::size_t>(after - series.time.begin()) - 1];
}

}  // namespace

Hit pick(const ViewIndex& index, const LaneLayout& layout, const Viewport& view, double x, double y,
         const CullOptions& options, double reach) {
    Hit hit;
    hit.time = view.time_at(x);
    hit.row = layout.row_at(y);
    if (const uint32_t box = layout.lane_at(y); box != LaneLayout::none)
        hit.lane = layout.lanes[box].id;
    if (hit.row == LaneLayout::none) return hit;
    const LayoutRow& row = layout.rows[hit.row];
    if (is_of_group(row.kind)) {
        hit.kind = row.kind == RowKind::more ? HitKind::more : HitKind::group_head;
        hit.group = row.group;
        return hit;
    }
    hit.outer = row.outer;
    const LaneId id = layout.lanes[row.lane].id;
    const Lane& lane = index.trace->lanes[id];
    if (row.kind == RowKind::slices) pick_slice(index, view, x, row.depth, id, options, reach, hit);
    if (row.kind == RowKind::instants) pick_instant(*lane.instants, view, x, reach, hit);
    if (row.kind == RowKind::counter) pick_counter(*lane.counter, hit);
    return hit;
}

SlicePlace place_of(const Trace& trace, const LaneLayout& layout, const Viewport& view,
                    SliceRef slice) {
    SlicePlace place;
    place.row = layout.row_of(slice.lane, shown_depth(trace, layout.shown, slice));
    place.x0 = view.px_of(trace.start(slice));
    place.x1 = view.px_of(trace.slice_end(slice));
    return place;
}

}  // namespace lanescope
