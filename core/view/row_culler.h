// Culls single rows and adds their items to a frame's items.
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
        2;  // narrower slices become runs; 3 where rectangles are expensive (software GL)
    double min_label_px = 30;  // narrower rectangles have no label
    double label_pad = 5;      // space before and after a label

    friend bool operator==(const CullOptions&, const CullOptions&) = default;
};

struct CullInput {
    const ViewIndexPtr& index;
    const LaneLayout& layout;
    const Palette& palette;  // of the index's classes
    Viewport view;
    double scroll_y = 0;  // the layout's y at the top edge
    double height = 0;    // visible pixels of the layout
    CullOptions options;
};

// The width, in nanoseconds, of the widest cell that may represent its short slices.
double cell_nanos(const Viewport& view, const CullOptions& options);

// Culls rows into its own items. Buffers are reused, so it does not allocate once they have grown.
// Two cullers can work at a time, and share no cache line.
class alignas(64) RowCuller {
  public:
    // Clears the items, for a view of this width.
    void start(const Viewport& view);
    // Adds the items of the layout's row, if it has any.
    void cull_row(const CullInput& input, uint32_t row);
    // Adds a row's items from another culler that started with the same view.
    void append(const RowCuller& other, const RowItems& row);

    DrawItems items;
    std::size_t visited = 0;  // slices and level entries since the start

  private:
    template <bool own>
    class RowVisitor;

    void cull_slices(const CullInput& input, const LayoutRow& row, RowItems& row_items);
    void emit_labels(const CullInput& input, uint32_t first_rect);
    void name_as_in_trace(const CullInput& input, RowItems& row_items);
    void emit_runs(const CullInput& input, RowItems& row_items);
    std::size_t begin_strip(RowItems& row_items);
    void cull_instants(const CullInput& input, RowItems& row_items);
    void cull_counter(const CullInput& input, RowItems& row_items);

    PixelColumns columns_;  // of the row that is being culled
};

}  // namespace lanescope
