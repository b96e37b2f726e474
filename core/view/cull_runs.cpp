// Culling of slices too short to be drawn one by one: pixel columns become runs and their texels.
#include <algorithm>

#include "core/view/cull.h"

namespace lanescope {

void Culler::emit_runs(const CullInput& input, RowItems& items) {
    const SlotTable& slots = input.index->slots;
    const auto* shades = input.palette.shades.data();
    RunItem run{-1, -1, 0, 0};
    int64_t longest = 0;
    uint32_t* line = nullptr;
    const auto finish = [&] {
        if (run.x1 == run.x0) return;
        run.longest = ~static_cast<uint32_t>(longest);
        items_.runs.push_back(run);
    };
    columns_.drain([&](int32_t x, const PixelColumn& column) {
        if (!line) line = begin_strip(items);
        if (x != run.x1) {
            finish();
            run = {x, x, 0, 0};
            longest = 0;
        }
        run.x1 = x + 1;
        run.count += column.count;
        longest = std::max(longest, column.rank());
        const Slot slot = slots.slot_of(column.name(), column.category());
        line[x] = shades[slot][static_cast<std::size_t>(std::min(column.cover, 1.0F) * 255)];
    });
    finish();
}

uint32_t* Culler::begin_strip(RowItems& items) {
    StripImage& strips = items_.strips;
    items.strip = strips.height++;
    const std::size_t needed = std::size_t{strips.width} * strips.height;
    if (strips.texels.size() < needed) strips.texels.resize(needed);
    return strips.texels.data() + std::size_t{strips.width} * items.strip;
}

}  // namespace lanescope
