// Levels of detail of one depth row: what a row looks like when many slices fall on one pixel.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/column.h"
#include "core/base/nanos.h"

namespace lanescope {

// A cell covers the slices of a row whose start falls in [cell << shift, (cell + 1) << shift),
// relative to the start of the row's first slice.
struct LevelCell {
    uint32_t cell = 0;     // number of the cell
    uint32_t first = 0;    // first slice, relative to the row's begin
    uint32_t longest = 0;  // longest slice, relative to the row's begin
    uint32_t cover =
        0;  // time covered by slices, in 1/65536 of the cell's width times cells spanned
};

struct Level {
    int shift = 0;  // a cell is 2^shift ns wide
    Column<LevelCell> cells;
};

// Finest level first; each next one has at most half as many cells. Rows under `kMinLevelSlices`
// have none.
struct LevelsOfDetail {
    std::vector<Level> levels;
};

inline constexpr uint32_t kMinLevelSlices = 4096;

// `start` ascending, none overlapping the next.
LevelsOfDetail build_levels(std::span<const Nanos> start, std::span<const Nanos> duration);

}  // namespace lanescope
