// The model of a selected kernel or operator: its work, how far it is from what the device can do,
// and its position on a roofline.
#pragma once

#include "core/analysis/work/slice_model.h"
#include "ui/panels/panel_column.h"
#include "ui/panels/value_of_selection.h"

namespace lanescope {

using ModelOfSelection = ValueOfSelection<SliceModel, slice_model>;

// `waves`: of the kernel's grid; NaN: unknown.
void draw_model(PanelColumn& c, const SliceModel& model, double waves);

}  // namespace lanescope
