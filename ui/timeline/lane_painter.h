// Converts draw items to quads and labels.
#pragma once

#include <imgui.h>

#include "core/view/cull.h"
#include "core/view/palette.h"
#include "ui/look/label_sheet.h"
#include "ui/look/quad_painter.h"
#include "ui/look/theme.h"
#include "ui/timeline/class_filter.h"
#include "ui/timeline/found_layer.h"
#include "ui/timeline/timeline.h"

namespace lanescope {

struct PaintInput {
    const Timeline& timeline;
    const DrawItems& items;
    const Palette& palette;
    const Look& look;
    const FoundLayer& found;
    const ClassFilter& classes;
    // Texels that replace those of `items`; null: use the texels of `items`.
    const uint32_t* strips = nullptr;
};

// Slices, runs, instants and curves of the visible rows; strips of runs refer to `items.strips`.
void paint_rows(const PaintInput& input, QuadBatch& batch);
// Whether a row of this height has room for text; the streams of a folded GPU may be too thin.
bool has_room_for_text(const Look& look, float height);
// The labels of slices; labels without space in the sheet go into the list.
void paint_labels(const PaintInput& input, LabelSheet& sheet, QuadBatch& batch, ImDrawList& list);
// The position of a row in the window, of the drawn area.
struct RowBox {
    float y0, y1;
};
RowBox row_box(const Timeline& timeline, const LayoutRow& row);
// The position of a slice in the window, in the drawn area or the other one.
struct SliceBox {
    float x0, y0, x1, y1;
    bool visible;  // whether one of the layouts has its row
};
SliceBox slice_box(const Timeline& timeline, SliceRef slice);

// One slice with its edge, and corners cut by a pixel.
void push_slice(QuadBatch& batch, float x0, float y0, float x1, float y1, ImU32 fill, ImU32 edge,
                float pixel);

}  // namespace lanescope
