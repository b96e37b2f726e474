// How slices are drawn while others match the search, or classes are chosen.
#pragma once

#include "core/search/marks.h"
#include "ui/timeline/lane_painter.h"
#include "ui/timeline/timeline_view.h"

namespace lanescope {

// How a slice is drawn while matches or chosen classes are shown.
struct RectShade {
    ImU32 fill, edge, text;
    bool shown;
};
RectShade shade_of(const PaintInput& input, const RowItems& row, const RectItem& rect);
// The texels of runs in which other slices are dimmed or hidden: in `buffers`, or the texels of
// `items` if nothing is filtered.
const uint32_t* filtered_strips(const PaintInput& input, StripFilter& buffers);

inline MarkScale scale_of(const Viewport& view) {
    return {view.start, 1 / view.nanos_per_px(), view.width};
}

// Calls `visit` with each pixel column in which a marked slice of the row begins.
template <typename Visit>
void marked_columns(const PaintInput& in, const Found& found, const RowItems& row,
                    const MarkScale& scale, const Visit& visit) {
    // The set of shown lanes has changed: the marks are recomputed soon.
    if (found.parts.owner != in.timeline.index->shown) return;
    each_marked_column(found, row.lane, in.timeline.layout.rows[row.row].depth, scale, visit);
}

}  // namespace lanescope
