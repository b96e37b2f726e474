// Culls slices too short to be drawn singly: pixel columns become runs with texels.
#include <algorithm>

#include "core/view/row_culler.h"

namespace lanescope {

void RowCuller::emit_runs(const CullInput& input, RowItems& row_items) {
    const auto columns = columns_.columns();
    const auto width = static_cast<int32_t>(items.strips.width);
    if (columns.empty() || columns.front().x >= width) return;
    const std::size_t strip = begin_strip(row_items);
    uint32_t* const line = items.strips.texels.data() + strip;
    Slot* const slots = items.strips.slots.data() + strip;
    const auto* shades = input.palette.shades.data();
    RunItem run{-1, -1, 0, 0};
    uint64_t longest = 0;
    const auto finish = [&] {
        if (run.x1 == run.x0) return;
        run.longest = ~static_cast<uint32_t>(longest);
        items.runs.push_back(run);
    };
    for (const PixelColumn& column : columns) {
        if (column.x >= width) break;
        if (column.x != run.x1) {
            finish();
            run = {column.x, column.x, 0, 0};
            longest = 0;
        }
        run.x1 = column.x + 1;
        run.count += column.count;
        longest = std::max(longest, column.rank);
        const int shade = std::min(static_cast<int>(column.cover * 255), 255);
        line[column.x] = shades[column.slot][static_cast<std::size_t>(shade)];
        slots[column.x] = static_cast<Slot>(column.slot);
    }
    finish();
}

// Where the new line begins in the image.
std::size_t RowCuller::begin_strip(RowItems& row_items) {
    StripImage& strips = items.strips;
    row_items.strip = strips.height++;
    const std::size_t needed = std::size_t{strips.width} * strips.height;
    if (strips.texels.size() < needed) {
        strips.texels.resize(needed);
        strips.slots.resize(needed);
    }
    return needed - strips.width;
}

}  // namespace lanescope
