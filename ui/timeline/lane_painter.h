// Converts draw items to quads and labels.
#pragma once

#include <imgui.h>

#include "core/view/cull.h"
#include "core/view/visible_links.h"
#include "ui/look/label_sheet.h"
#include "ui/look/quad_painter.h"
#include "ui/look/theme.h"
#include "ui/timeline/timeline.h"

namespace lanescope {

struct PaintInput {
    const Timeline& timeline;
    const DrawItems& items;
    const Palette& palette;
    const Look& look;
    // Texels that replace those of `items`; null: use the texels of `items`.
    const uint32_t* strips = nullptr;
};

// Slices, runs, instants and curves of the visible rows; strips of runs refer to `items.strips`.
void paint_rows(const PaintInput& input, QuadBatch& batch);
// Whether a row of this height has room for text; the streams of a folded GPU may be too thin.
bool has_room_for_text(const Look& look, float height);
// The labels of slices; labels without space in the sheet go into the list.
void paint_labels(const PaintInput& input, LabelSheet& sheet, QuadBatch& batch, ImDrawList& list);
// The position of a slice in the window, in the drawn area or the other one.
struct SliceBox {
    float x0, y0, x1, y1;
    bool visible;  // whether one of the layouts has its row
};
SliceBox slice_box(const Timeline& timeline, SliceRef slice);

// Dims everything except the selected slice's chain, if it has one.
void paint_chain(const PaintInput& input, ImDrawList& list);
// A collective on all ranks: frames, and a line from rank to rank.
void paint_same_call(const PaintInput& input, ImDrawList& list);
// A fading frame around the slice that was brought into view last.
void paint_flash(const PaintInput& input, QuadBatch& batch);
// A frame around the selected slice.
void paint_selection(const PaintInput& input, QuadBatch& batch);
// An arrow along each flow that the picture has space for; `found` is a reusable buffer.
void paint_all_flows(const PaintInput& input, VisibleLinks& found, ImDrawList& list);
// How a slice is drawn while matches or chosen classes are shown.
struct RectShade {
    ImU32 fill, edge, text;
    bool shown;
};
RectShade shade_of(const PaintInput& input, const RowItems& row, const RectItem& rect);
// The texels of runs in which other slices are dimmed or hidden: in `buffers`, or those of `items`
// if nothing is filtered.
const uint32_t* filtered_strips(const PaintInput& input, StripFilter& buffers);
// Marks of matches on the lanes and on the overview.
void paint_found(const PaintInput& input, QuadBatch& batch);
void paint_found_on_overview(const Timeline& timeline, const Look& look, QuadBatch& batch);
// The critical paths, while they are shown.
void paint_critical_path(const PaintInput& input, QuadBatch& batch);
// Marks on all slices like one, while they are shown, and their number.
void paint_alike(const PaintInput& input, QuadBatch& batch);
void label_alike(const PaintInput& input, ImDrawList& list);
void paint_flows(const PaintInput& input, ImDrawList& list);

// One slice with its edge, and corners cut by a pixel.
void push_slice(QuadBatch& batch, float x0, float y0, float x1, float y1, ImU32 fill, ImU32 edge,
                float pixel);

}  // namespace lanescope
