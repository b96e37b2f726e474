#include "core/view/view_rows.h"

#include <algorithm>

namespace lanescope {

namespace {

constexpr uint64_t kMaxRows = 6'000;  // about a millisecond
constexpr double kCovering = 0.95;    // fraction of the range

// What a row has in a range of time.
struct RowContent {
    bool any = false;
    bool covering = false;  // one slice, which covers nearly all of the range
    TimeRange slices;       // from the begin of the first to the end of the last
};

RowContent content_of(const Lane& lane, uint32_t depth, TimeRange range) {
    RowContent content;
    uint64_t count = 0;
    for (const auto& chunk : lane.chunks) {
        if (depth >= chunk->rows.size() || chunk->rows[depth].size() == 0) continue;
        const DepthRow& row = chunk->rows[depth];
        const Nanos* const start = chunk->start.begin();
        const auto first = std::partition_point(start + row.begin, start + row.end, [&](auto& at) {
            return at < range.begin &&
                   chunk->end(static_cast<uint32_t>(&at - start)) <= range.begin;
        });
        const auto last =
            std::partition_point(first, start + row.end, [&](auto& at) { return at < range.end; });
        if (first == last) continue;
        if (count == 0) content.slices.begin = *first;
        content.slices.end = chunk->end(static_cast<uint32_t>(last - 1 - start));
        count += static_cast<uint64_t>(last - first);
    }
    content.any = count > 0;
    const Nanos covered =
        std::min(content.slices.end, range.end) - std::max(content.slices.begin, range.begin);
    content.covering = count == 1 && static_cast<double>(covered) >=
                                         kCovering * static_cast<double>(range.length());
    return content;
}

LaneRows rows_of(const Lane& lane, TimeRange range) {
    LaneRows rows{.outer = 0, .depths = lane.depth_count};
    // Gaps are drawn in rows without slices, so streams keep theirs.
    if (lane.depth_count < 2 || lane.kind == LaneKind::stream) return rows;
    RowContent deepest = content_of(lane, rows.depths - 1, range);
    while (rows.depths > 1 && !deepest.any) deepest = content_of(lane, --rows.depths - 1, range);
    // A dead window is drawn below its call, also where the calls around it are out of view.
    if (rows.depths < lane.depth_count && content_of(lane, rows.depths, deepest.slices).any)
        ++rows.depths;
    uint32_t covering = 0;
    while (covering < rows.depths && content_of(lane, covering, range).covering) ++covering;
    // The innermost of these calls has a row of its own: its calls are what the view is about.
    if (covering > kMinOuter) rows.outer = covering - 1;
    return rows;
}

}  // namespace

ViewRows rows_for(const Trace& trace, const ShownLanesPtr& shown, TimeRange range,
                  SliceRef selected) {
    uint64_t all = 0;
    for (const Lane& lane : trace.lanes) all += lane.depth_count > 1 ? lane.depth_count : 0;
    if (all > kMaxRows) return {};
    const TimeRange within{std::max(range.begin, trace.content.begin),
                           std::min(range.end, trace.content.end)};
    if (within.length() <= 0) return {};
    ViewRows rows;
    rows.lanes.resize(trace.lanes.size());
    for (LaneId lane = 0; lane < trace.lanes.size(); ++lane) {
        LaneRows& needed = rows.lanes[lane];
        needed = rows_of(shown_lane(trace, shown, lane), within);
        if (selected.lane != lane) continue;
        const uint32_t depth = shown_depth(trace, shown, selected);
        if (depth < needed.outer) needed.outer = 0;
    }
    return rows;
}

ViewRows union_of(const ViewRows& a, const ViewRows& b) {
    if (a.lanes.size() != b.lanes.size()) return {};
    ViewRows rows = a;
    for (std::size_t lane = 0; lane < rows.lanes.size(); ++lane) {
        rows.lanes[lane].outer = std::min(a.lanes[lane].outer, b.lanes[lane].outer);
        rows.lanes[lane].depths = std::max(a.lanes[lane].depths, b.lanes[lane].depths);
    }
    return rows;
}

}  // namespace lanescope
