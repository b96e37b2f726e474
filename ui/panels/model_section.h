// The model of a selected kernel or operator: its work, how far it is from what the device can do,
// and its position on a roofline.
#pragma once

#include <memory>
#include <optional>

#include "core/analysis/work/slice_model.h"
#include "ui/panels/panel_column.h"
#include "ui/panels/panel_inputs.h"

namespace lanescope {

// The model of the selected slice, computed in the background.
class ModelOfSelection {
  public:
    // To be called once a frame.
    void follow(const PanelInputs& inputs);
    // Null: nothing is selected, the result is not ready, or the slice has no model.
    const SliceModel* get() const { return ready() && model_ ? &*model_ : nullptr; }
    bool ready() const { return wanted_ == made_; }
    void clear();

  private:
    struct Made {
        std::shared_ptr<const TraceContext> context;
        SliceRef slice;
        friend bool operator==(const Made&, const Made&) = default;
    };
    Made wanted_;
    Made made_;
    JobSlot making_;
    std::optional<SliceModel> model_;
};

// `waves`: of the kernel's grid; NaN: unknown.
void draw_model(PanelColumn& c, const SliceModel& model, double waves);

}  // namespace lanescope
