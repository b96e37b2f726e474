// Draws dead windows (hatched) and idle gaps of GPU streams (tinted by cause), each with its
// length.
#pragma once

#include "ui/timeline/lane_painter.h"

namespace lanescope {

// Finds spans that are in view and wide enough, stores them in `shown`, and paints them; slices are
// drawn over them.
void paint_idle(const PaintInput& input, std::vector<ShownIdle>& shown, QuadBatch& batch);
// Draws lengths, and causes if there is space; after the labels of slices.
void label_idle(const PaintInput& input, const std::vector<ShownIdle>& shown, LabelSheet& sheet,
                QuadBatch& batch);
// Marks the described gap on the lanes of its device.
void paint_described_gap(const PaintInput& input, QuadBatch& batch, QuadBatch& overlay);

// The visible span at a position in the window; null: none.
const ShownIdle* idle_at(const Timeline& timeline, ImVec2 at);

}  // namespace lanescope
