#include "ui/timeline/slice_filter.h"

#include <algorithm>

#include "ui/timeline/class_layer.h"
#include "ui/timeline/found_layer.h"

namespace lanescope {

namespace {

constexpr float kDimmed = 0.22f;  // fraction of a dimmed slice's colour that remains

// The filter of a slice: the stronger of the search's and the legend's.
FoundFilter filter_of(const PaintInput& in, LaneId lane, const RectItem& rect) {
    const bool missed = in.found.filters() && !in.found.found->matches.test({lane, rect.slice});
    const bool other = in.classes.on() && !in.classes.chosen[rect.slot];
    const FoundFilter by_class = in.classes.hides ? FoundFilter::hide : FoundFilter::dim;
    return std::max(missed ? in.found.filter : FoundFilter::off,
                    other ? by_class : FoundFilter::off);
}

float remaining_colour(FoundFilter filter) {
    return filter == FoundFilter::hide ? 0 : kDimmed;
}

template <typename Visit>
void each_run_column(const PaintInput& in, const RowItems& row, const Visit& visit) {
    for (uint32_t i = row.run_begin; i < row.run_end; ++i)
        for (int32_t x = in.items.runs[i].x0; x < in.items.runs[i].x1; ++x)
            visit(static_cast<std::size_t>(x));
}

// A pixel column has the colour of its longest slice. If that is of another class, but a shorter
// slice of a chosen class begins in it, the column has the colour of the shorter one.
void filter_classes(const PaintInput& in, const RowItems& row, const MarkScale& scale,
                    uint32_t* line) {
    const ClassFilter& filter = in.classes;
    const std::size_t width = in.items.strips.width;
    const Slot* const slots = in.items.strips.slots.data() + width * row.strip;
    const float left = remaining_colour(filter.hides ? FoundFilter::hide : FoundFilter::dim);
    each_run_column(in, row, [&](std::size_t x) {
        if (!filter.chosen[slots[x]]) line[x] = mixed(in.look.colors.bg, line[x], left);
    });
    if (!filter.ready(in.timeline.index)) return;
    std::size_t first = 0;
    while (!filter.chosen[first]) ++first;
    const ImU32 color =
        filter.chosen.count() == 1 ? in.palette.looks[first].fill.packed() : in.look.colors.low;
    marked_columns(in, *filter.lit, row, scale, [&](int column) {
        const auto x = static_cast<std::size_t>(column);
        if (x < width && !filter.chosen[slots[x]]) line[x] = color;
    });
}

void filter_found(const PaintInput& in, const RowItems& row, const MarkScale& scale,
                  std::vector<uint8_t>& hit, uint32_t* line) {
    hit.assign(in.items.strips.width, 0);
    marked_columns(in, *in.found.found, row, scale, [&](int column) {
        if (static_cast<std::size_t>(column) < hit.size())
            hit[static_cast<std::size_t>(column)] = 1;
    });
    const float left = remaining_colour(in.found.filter);
    each_run_column(in, row, [&](std::size_t x) {
        if (!hit[x]) line[x] = mixed(in.look.colors.bg, line[x], left);
    });
}

}  // namespace

RectShade shade_of(const PaintInput& in, const RowItems& row, const RectItem& rect) {
    const SlotLook& look = in.palette.looks[rect.slot];
    RectShade shade{look.fill.packed(), look.edge.packed(), look.text.packed(), true};
    const FoundFilter filter = filter_of(in, row.lane, rect);
    if (filter == FoundFilter::off) return shade;
    shade.shown = filter != FoundFilter::hide;
    const ImU32 bg = in.look.colors.bg;
    shade.fill = mixed(bg, shade.fill, kDimmed);
    shade.edge = mixed(bg, shade.edge, kDimmed);
    shade.text = in.look.colors.low;
    return shade;
}

const uint32_t* filtered_strips(const PaintInput& in, StripFilter& buffers) {
    const StripImage& strips = in.items.strips;
    if (!in.found.filters() && !in.classes.on()) return strips.texels.data();
    const std::size_t size = std::size_t{strips.width} * strips.height;
    buffers.texels.assign(strips.texels.begin(),
                          strips.texels.begin() + static_cast<std::ptrdiff_t>(size));
    const MarkScale scale = scale_of(in.timeline.camera.view());
    for (const RowItems& row : in.items.rows) {
        if (row.run_begin == row.run_end) continue;
        uint32_t* const line = buffers.texels.data() + std::size_t{strips.width} * row.strip;
        if (in.classes.on()) filter_classes(in, row, scale, line);
        if (in.found.filters()) filter_found(in, row, scale, buffers.hit, line);
    }
    return buffers.texels.data();
}

}  // namespace lanescope
