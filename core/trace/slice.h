// A slice: one call, operator, kernel or range, with a start and a duration, nested in a lane.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "core/base/column.h"
#include "core/base/nanos.h"
#include "core/base/string_pool.h"
#include "core/trace/level_of_detail.h"

namespace lanescope {

using LaneId = uint32_t;
using CategoryId = uint16_t;

// The position of a slice: its lane, and its index in that lane, counted over all chunks.
struct SliceRef {
    static constexpr uint32_t no_index = ~uint32_t{0};

    LaneId lane = no_index;
    uint32_t index = no_index;

    explicit operator bool() const { return lane != no_index; }
    friend auto operator<=>(const SliceRef&, const SliceRef&) = default;
};

// Sources from here on are no places in the trace's file, but numbers of derived slices.
inline constexpr uint64_t kDerivedSource = uint64_t{1} << 63U;

// One depth of a chunk: its slices [begin, end), sorted by start, without overlaps.
struct DepthRow {
    uint32_t begin = 0;
    uint32_t end = 0;
    LevelsOfDetail levels;  // empty for short rows

    uint32_t size() const { return end - begin; }
};

// An immutable block of one lane's slices in parallel columns, sorted by (depth, start). Snapshots
// share it. In a lane with several chunks, the slices of one depth follow each other in time from
// chunk to chunk.
struct Chunk {
    uint32_t first = 0;  // index of the chunk's first slice in the lane
    Column<Nanos> start;
    Column<Nanos> duration;
    Column<StringId> name;
    Column<CategoryId> category;
    Column<uint64_t> source;     // byte offset of the event's text in the (decompressed) file;
                                 // of derived slices see kDerivedSource
    std::vector<DepthRow> rows;  // by depth

    uint32_t size() const { return static_cast<uint32_t>(start.size()); }
    Nanos end(uint32_t i) const { return start[i] + duration[i]; }
    // The depth of local index `i`: 0 is the outermost.
    uint32_t depth(uint32_t i) const;
};

// Raw slices of one lane in file order, neither sorted nor nested.
struct RawSlices {
    Column<Nanos> start;
    Column<Nanos> duration;
    Column<StringId> name;
    Column<CategoryId> category;
    Column<uint64_t> source;

    uint32_t size() const { return static_cast<uint32_t>(start.size()); }
};

struct NestingResult {
    Chunk chunk;
    Column<uint32_t> place;  // place[raw index] = index in the chunk
    // Maximum depth of a plain stack that also holds partly overlapping slices.
    uint32_t deepest_stack = 0;
    uint32_t partial_overlaps = 0;  // slices that end after the slice below them in that stack
};

// Sorts by (start, longest first, raw order), nests, and lays the slices out by depth with levels
// of detail. A slice that overlaps its row only partly goes to the first depth that is free at its
// start. Frees the columns of `raw` as it goes.
NestingResult nest(RawSlices raw);

}  // namespace lanescope
