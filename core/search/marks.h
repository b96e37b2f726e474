// The start times of matching slices, prepared for drawing: the cost depends on the pixels, not on
// the number of matches.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/search/matches.h"

namespace lanescope {

// The starts in one row, as one bit for each cell of 2^shift ns from the trace's first time.
struct RowMarks {
    int shift = 0;
    std::vector<uint64_t> cells;  // empty: few enough for single lookups
};

inline constexpr std::size_t kOverviewMarks = 4096;

// A lane that is shown without some of its slices is nested again, and so has rows of its own.
struct LanePart {
    const Lane* lane = nullptr;          // null: the whole lane is shown
    std::span<const uint32_t> to_trace;  // by index in `lane`: the index in the trace's lane
};
// The shown parts of lanes, by lane, and the owner of their memory; empty: everything is shown.
struct LaneParts {
    std::vector<LanePart> lanes;
    std::shared_ptr<const void> owner;
};

// The matches with their marks. Immutable; shared with the window.
struct Found {
    Matches matches;
    LaneParts parts;  // what is shown of the lanes
    // By lane, for its shown part; no bits if the lane is shown whole.
    std::vector<LaneMatches> in_parts;
    std::vector<std::vector<RowMarks>> rows;  // by displayed lane and depth
    // By fraction of `content`, the overview's range: whether a match begins there.
    std::vector<uint8_t> overview;
    TimeRange content;

    bool has_part(LaneId lane) const { return lane < parts.lanes.size() && parts.lanes[lane].lane; }
    const Lane& shown_lane(LaneId lane) const {
        return has_part(lane) ? *parts.lanes[lane].lane : matches.trace->lanes[lane];
    }
    const LaneMatches& shown_matches(LaneId lane) const {
        return has_part(lane) ? in_parts[lane] : matches.lanes[lane];
    }
};
using FoundPtr = std::shared_ptr<const Found>;

// Reads all matches and the parts of lanes: too slow for a frame.
FoundPtr mark_matches(Matches matches, TimeRange content, LaneParts parts = {});

// Converts times to pixels from the left edge of a view.
struct MarkScale {
    Nanos begin = 0;  // the time at pixel 0
    double px_per_nano = 0;
    double width = 0;  // px

    double px(Nanos time) const { return static_cast<double>(time - begin) * px_per_nano; }
};

// Calls visit(int column), ascending, for each column of the view in which matching slices of one
// displayed row of the lane begin; at most once for each column.
template <typename Visit>
void each_marked_column(const Found& found, LaneId lane, uint32_t depth, const MarkScale& scale,
                        const Visit& visit);

namespace detail {

template <typename Visit>
void columns_of_cells(const RowMarks& marks, Nanos origin, const MarkScale& scale,
                      const Visit& visit) {
    const double cell_px = std::ldexp(scale.px_per_nano, marks.shift);
    const double first_px = scale.px(origin);
    const auto cell_at = [&](double px) {
        const double cell = std::ceil((px - first_px) / cell_px);
        return static_cast<std::size_t>(
            std::clamp(cell, 0.0, static_cast<double>(marks.cells.size() * 64)));
    };
    std::size_t cell = cell_at(0);
    while (cell < marks.cells.size() * 64) {
        std::size_t word = cell / 64;
        uint64_t left = marks.cells[word] & (~uint64_t{0} << (cell % 64));
        while (left == 0 && ++word < marks.cells.size()) left = marks.cells[word];
        if (left == 0) return;
        cell = word * 64 + static_cast<std::size_t>(std::countr_zero(left));
        const double px = first_px + static_cast<double>(cell) * cell_px;
        if (px >= scale.width) return;
        const int column = static_cast<int>(std::max(0.0, std::floor(px)));
        visit(column);
        cell = std::max(cell + 1, cell_at(column + 1));
    }
}

template <typename Visit>
void columns_of_slices(const LaneMatches& lane, const Chunk& chunk, const DepthRow& row,
                       const MarkScale& scale, const Visit& visit) {
    const auto time_at = [&](double px) {
        return scale.begin + static_cast<Nanos>(std::ceil(px / scale.px_per_nano));
    };
    const Nanos* const end = chunk.start.data() + row.end;
    const Nanos* at = std::lower_bound(chunk.start.data() + row.begin, end, scale.begin);
    int last = -1;
    while (at != end) {
        const auto index = static_cast<uint32_t>(at - chunk.start.data());
        const uint32_t next = lane.next(chunk.first + index);
        if (next == SliceRef::no_index || next >= chunk.first + row.end) return;
        at = chunk.start.data() + (next - chunk.first);
        const double px = scale.px(*at);
        if (px >= scale.width) return;
        const int column = static_cast<int>(std::floor(px));
        if (column > last) visit(column);
        last = column;
        at = std::lower_bound(at + 1, end, time_at(column + 1));
    }
}

}  // namespace detail

template <typename Visit>
void each_marked_column(const Found& found, LaneId lane, uint32_t depth, const MarkScale& scale,
                        const Visit& visit) {
    const LaneMatches& matches = found.shown_matches(lane);
    if (matches.count == 0 || depth >= found.rows[lane].size()) return;
    const RowMarks& marks = found.rows[lane][depth];
    if (!marks.cells.empty() && std::ldexp(scale.px_per_nano, marks.shift) <= 1) {
        detail::columns_of_cells(marks, found.matches.trace->origin, scale, visit);
        return;
    }
    int last = -1;
    for (const auto& chunk : found.shown_lane(lane).chunks) {
        if (depth >= chunk->rows.size()) continue;
        const DepthRow& row = chunk->rows[depth];
        if (row.size() == 0 || chunk->start[row.end - 1] < scale.begin) continue;
        if (scale.px(chunk->start[row.begin]) >= scale.width) break;
        detail::columns_of_slices(matches, *chunk, row, scale, [&](int column) {
            if (column > last) visit(column);
            last = std::max(last, column);
        });
    }
}

}  // namespace lanescope
