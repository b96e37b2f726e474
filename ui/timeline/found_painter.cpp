// Marks search matches and chosen classes on the lanes: a frame around wide slices, a tick for each
// pixel column in which others begin, and everything else dimmed or hidden if requested. Marks have
// the colour of text, since the accent is too similar to the colour of kernels.
#include <algorithm>
#include <cmath>

#include "ui/timeline/lane_painter.h"

namespace lanescope {

namespace {

constexpr float kDimmed = 0.22f;  // fraction of a dimmed slice's colour that remains

MarkScale scale_of(const Viewport& view) {
    return {view.start, 1 / view.nanos_per_px(), view.width};
}

struct RowPlace {
    float y0, y1;
};

RowPlace place_of(const PaintInput& in, const RowItems& row) {
    const LayoutRow& place = in.timeline.layout.rows[row.row];
    const auto y0 =
        static_cast<float>(std::round(in.timeline.areas.lanes.y0 + place.y - in.timeline.scroll_y));
    return {y0, y0 + static_cast<float>(std::round(place.height))};
}

template <typename Visit>
void marked_columns(const PaintInput& in, const Found& found, const RowItems& row,
                    const MarkScale& scale, const Visit& visit) {
    // The set of shown lanes has changed: the marks are recomputed soon.
    if (found.parts.owner != in.timeline.index->shown) return;
    each_marked_column(found, row.lane, in.timeline.layout.rows[row.row].depth, scale, visit);
}

void frame_rects(const PaintInput& in, const RowItems& row, RowPlace place, QuadBatch& batch) {
    const float left = in.timeline.areas.lanes.x0;
    const float line = std::max(1.0f, std::round(in.look.scale));
    const LaneMatches& lane = in.timeline.found->matches.lanes[row.lane];
    for (uint32_t i = row.rect_begin; i < row.rect_end; ++i) {
        const RectItem& rect = in.items.rects[i];
        if (!lane.test(rect.slice)) continue;
        const float x0 = left + std::round(rect.x0);
        batch.frame(x0, place.y0, std::max(left + std::round(rect.x1), x0 + 2), place.y1, line,
                    in.look.colors.hi);
    }
}

bool searches(const Timeline& timeline) {
    return timeline.found && timeline.filter != FoundFilter::off;
}

// The filter of a slice: the stronger of the search's and the legend's.
FoundFilter filter_of(const Timeline& timeline, LaneId lane, const RectItem& rect) {
    const bool missed = searches(timeline) && !timeline.found->matches.test({lane, rect.slice});
    const bool other = timeline.classes.on() && !timeline.classes.chosen[rect.slot];
    const FoundFilter by_class = timeline.classes.hides ? FoundFilter::hide : FoundFilter::dim;
    return std::max(missed ? timeline.filter : FoundFilter::off,
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
    const ClassFilter& filter = in.timeline.classes;
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
    marked_columns(in, *in.timeline.found, row, scale, [&](int column) {
        if (static_cast<std::size_t>(column) < hit.size())
            hit[static_cast<std::size_t>(column)] = 1;
    });
    const float left = remaining_colour(in.timeline.filter);
    each_run_column(in, row, [&](std::size_t x) {
        if (!hit[x]) line[x] = mixed(in.look.colors.bg, line[x], left);
    });
}

}  // namespace

RectShade shade_of(const PaintInput& in, const RowItems& row, const RectItem& rect) {
    const SlotLook& look = in.palette.looks[rect.slot];
    RectShade shade{look.fill.packed(), look.edge.packed(), look.text.packed(), true};
    const FoundFilter filter = filter_of(in.timeline, row.lane, rect);
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
    const Timeline& timeline = in.timeline;
    if (!searches(timeline) && !timeline.classes.on()) return strips.texels.data();
    const std::size_t size = std::size_t{strips.width} * strips.height;
    buffers.texels.assign(strips.texels.begin(),
                          strips.texels.begin() + static_cast<std::ptrdiff_t>(size));
    const MarkScale scale = scale_of(timeline.camera.view());
    for (const RowItems& row : in.items.rows) {
        if (row.run_begin == row.run_end) continue;
        uint32_t* const line = buffers.texels.data() + std::size_t{strips.width} * row.strip;
        if (timeline.classes.on()) filter_classes(in, row, scale, line);
        if (searches(timeline)) filter_found(in, row, scale, buffers.hit, line);
    }
    return buffers.texels.data();
}

void paint_found(const PaintInput& in, QuadBatch& batch) {
    const Timeline& timeline = in.timeline;
    if (!timeline.found) return;
    const Found& found = *timeline.found;
    const MarkScale scale = scale_of(timeline.camera.view());
    const float left = timeline.areas.lanes.x0;
    const float height = in.look.px(3);
    for (const RowItems& row : in.items.rows) {
        if (found.matches.lanes[row.lane].count == 0) continue;
        if (timeline.layout.rows[row.row].kind != RowKind::slices) continue;
        const RowPlace place = place_of(in, row);
        frame_rects(in, row, place, batch);
        // Neighbouring columns form one quad.
        int from = -1;
        int to = -1;
        const auto finish = [&] {
            if (from >= 0)
                batch.quad(left + static_cast<float>(from), place.y0, left + static_cast<float>(to),
                           place.y0 + height, in.look.colors.hi);
        };
        marked_columns(in, found, row, scale, [&](int column) {
            if (column != to) {
                finish();
                from = column;
            }
            to = column + 1;
        });
        finish();
    }
}

void paint_found_on_overview(const Timeline& timeline, const Look& look, QuadBatch& batch) {
    if (!timeline.found) return;
    const std::vector<uint8_t>& marks = timeline.found->overview;
    const Box& box = timeline.areas.overview;
    const float left = timeline.areas.lanes.x0;
    const float per_part = (box.x1 - left) / static_cast<float>(marks.size());
    const float width = std::max(1.0f, std::floor(look.scale));
    float last = -1;
    for (std::size_t part = 0; part < marks.size(); ++part) {
        if (!marks[part]) continue;
        const float x = std::floor(left + static_cast<float>(part) * per_part);
        if (x == last) continue;
        last = x;
        batch.quad(x, box.y0 + 1, x + width, box.y0 + look.px(6), look.colors.accent);
    }
}

}  // namespace lanescope
