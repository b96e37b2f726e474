// Dead windows, hatched, and idle gaps of GPU streams, tinted by cause, each with its length.
#pragma once

#include "ui/timeline/lane_painter.h"

namespace lanescope {

// Finds what is in view and wide enough, keeps it in `shown`, and paints it below the slices.
void paint_idle(const PaintInput& input, std::vector<ShownIdle>& shown, QuadBatch& batch);
// Lengths, and causes where there is room; after the labels of slices.
void label_idle(const PaintInput& input, const std::vector<ShownIdle>& shown, LabelSheet& sheet,
                QuadBatch& batch);
// The gap that is told about, on the lanes of its device.
void paint_told_gap(const PaintInput& input, QuadBatch& batch, QuadBatch& over);

// The shown span at a place of the window; null: none.
const ShownIdle* idle_at(const Timeline& timeline, ImVec2 at);

}  // namespace lanescope
