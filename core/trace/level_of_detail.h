// Levels of detail of one depth row: how a row looks when many slices fall on one pixel.
//
// A long row is cut into sections of some ten thousand slices. Each section has its own ladder of
// levels, so that a burst in one place and an idle stretch in another are each reduced at a
// suitable rate. A level has cells of 2^shift ns. A slice at least as long as a cell has an entry
// of its own; shorter slices that start in the same cell share an entry. The finest level has at
// most a sixth as many entries as there are slices. Each next level has at most five eighths of the
// entries of the level before it, down to a single entry or to slices that all have their own. The
// cost is 4 to 5 bytes a slice.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/column.h"
#include "core/base/nanos.h"
#include "core/base/string_pool.h"

namespace lanescope {

// One slice, or several short slices that start in the same cell.
struct LevelEntry {
    uint32_t cell = 0;      // number of the cell, counted from the section's start
    StringId name = 0;      // name of the longest slice
    uint16_t first = 0;     // first slice, counted from the section's first
    uint16_t longest = 0;   // longest slice, counted likewise
    uint16_t category = 0;  // of the longest slice
    uint8_t length = 0;     // length_code of the longest slice
    // Sum of durations as a fraction of the cell's width, in 1/kFullCover; 255: that or more.
    uint8_t cover = 0;
};
inline constexpr int kFullCover = 128;
static_assert(sizeof(LevelEntry) == 16);

struct Level {
    int shift = 0;       // a cell is 2^shift ns wide
    uint32_t begin = 0;  // in LevelsOfDetail::entries
    uint32_t end = 0;
};

// The slices [begin, end) of a row, counted from the row's first.
struct LevelSection {
    uint32_t begin = 0;
    uint32_t end = 0;
    Nanos start = 0;           // of the first slice
    Nanos stop = 0;            // end of the last slice
    uint32_t level_begin = 0;  // first of its levels in LevelsOfDetail::levels, finest first
    uint32_t level_end = 0;
};

// Rows shorter than `kMinLevelSlices` have no levels.
struct LevelsOfDetail {
    std::vector<LevelSection> sections;
    std::vector<Level> levels;
    Column<LevelEntry> entries;

    bool empty() const { return sections.empty(); }
    std::size_t bytes() const;
};

inline constexpr uint32_t kMinLevelSlices = 2048;

// Encodes a length with 20 % precision in one byte. Codes grow with the length in four steps for
// each power of two: length_code(d) >= 4 * k exactly if d >= 2^k. 0 and 1 ns give 0.
uint8_t length_code(Nanos duration);
// The shortest duration with this code.
Nanos shortest_of_code(uint8_t code);

// Builds the levels of one row. `start` is ascending; no slice ends after the next one's start; the
// columns have equal length.
LevelsOfDetail build_levels(std::span<const Nanos> start, std::span<const Nanos> duration,
                            std::span<const StringId> name, std::span<const uint16_t> category);

}  // namespace lanescope
