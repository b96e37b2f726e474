// Nesting: from slices in file order to rows by depth. Split into steps, so that a loader can run
// them on several cores; nest() in slice.h runs all steps.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/trace/slice.h"

namespace lanescope {

struct NestingPlan {
    Column<uint32_t> place;      // place[raw index] = index in the lane's chunk
    std::vector<DepthRow> rows;  // without their levels
    uint32_t deepest_stack = 0;
    uint32_t partial_overlaps = 0;
    std::vector<uint32_t> overlapping;  // raw indices of the first 20 overlapping slices
};

// The order of events by (start, longest first, index); empty if they are already in that order.
Column<uint32_t> time_order(std::span<const Nanos> start, std::span<const Nanos> duration);
// The same for events without durations, by (time, index).
Column<uint32_t> time_order(std::span<const Nanos> time);

// The last slice of a row so far.
struct RowEnd {
    Nanos start = INT64_MIN;
    Nanos end = INT64_MIN;
};

// Computes the order and depth of every slice; the most expensive step. Durations are not negative.
// `before` gives, by depth, the last slice in earlier chunks of the lane; no slice is placed in a
// row before that slice's end.
NestingPlan plan_nesting(std::span<const Nanos> start, std::span<const Nanos> duration,
                         std::span<const RowEnd> before = {});

// out[place[i]] = raw[i]
template <typename T>
Column<T> lay_out(const Column<T>& raw, const Column<uint32_t>& place) {
    Column<T> out(raw.size());
    const T* const from = raw.data();
    const uint32_t* const where = place.data();
    T* const to = out.data();
    for (std::size_t i = 0; i < raw.size(); ++i) to[where[i]] = from[i];
    return out;
}

// out[i] = column[order[i]]
template <typename T>
void reorder(Column<T>& column, const Column<uint32_t>& order) {
    Column<T> sorted(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) sorted[i] = column[order[i]];
    column = std::move(sorted);
}

// Builds the levels of detail of one row of a chunk whose columns are laid out.
void sum_up_row(const Chunk& chunk, DepthRow& row);

}  // namespace lanescope
