// Culling row by row: what each adds to the items of a frame.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/view/draw_items.h"
#include "core/view/lane_layout.h"
#include "core/view/palette.h"
#include "core/view/pixel_columns.h"
#include "core/view/view_index.h"
#include "core/view/viewport.h"

namespace lanescope {

struct CullOptions {
    double min_rect_px =
        2;  // narrower slices go into runs; 3 where each rectangle is dear (software GL)
    double min_label_px = 30;  // narrower rectangles have no label
    double label_pad = 5;      // free before and after a label

    friend bool operator==(const CullOptions&, const CullOptions&) = default;
};

struct CullInput {
    const ViewIndexPtr& index;
    const LaneLayout& layout;
    const Palette& palette;
    Viewport view;
    double scroll_y = 0;  // the layout's y at the top edge
    double height = 0;    // pixels of the layout in view
    CullOptions options;
};

// The width of the widest cell that may stand for the short slices in it, in nanoseconds.
double cell_nanos(const Viewport& view, const CullOptions& options);

// Culls rows into items of its own. Its buffers are used again, so it does not allocate once they
// have grown. Two of them may work at a time, and share no line of the cache.
class alignas(64) RowCuller {
  public:
    // Empties the items for a view of this width.
    void start(const Viewport& view);
    // Adds what there is of the layout's row, if it has anything.
    void cull_row(const CullInput& input, uint32_t row);
    // Adds the items of a row of another's that started with the same view.
    void append(const RowCuller& other, const RowItems& row);

    DrawItems items;
    std::size_t looked_at = 0;  // slices and level entries since the start

  private:
    class RowVisitor;

    void cull_slices(const CullInput& input, const LayoutRow& row, RowItems& row_items);
    void emit_labels(const CullInput& input, uint32_t first_rect);
    void name_as_in_trace(const CullInput& input, RowItems& row_items);
    void emit_runs(const CullInput& input, RowItems& row_items);
    uint32_t* begin_strip(RowItems& row_items);
    void cull_instants(const CullInput& input, RowItems& row_items);
    void cull_counter(const CullInput& input, RowItems& row_items);

    PixelColumns columns_;  // of the row that is being culled
};

}  // namespace lanescope
