// The model of a selected kernel or operator: what it had to do, how far it is from what the device
// could do, and where that stands on a roofline.
#pragma once

#include <memory>
#include <optional>

#include "core/analysis/slice_model.h"
#include "ui/panels/panel_column.h"
#include "ui/panels/table_panel.h"

namespace lanescope {

// Of the selected slice, worked out in the background.
class ModelOfSelection {
  public:
    // Once a frame.
    void follow(const PanelInputs& inputs);
    // Null: nothing is selected, it is being worked out, or it has nothing to do with models.
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
    bool making_ = false;
    std::optional<SliceModel> model_;
};

// `waves`: of the kernel's grid; NaN: not known.
void draw_model(PanelColumn& c, const SliceModel& model, double waves);

}  // namespace lanescope
