// The strip below the ruler with the name of each step, and whether host or GPU limits the step.
#pragma once

#include <memory>
#include <vector>

#include "core/overlays/step_lane.h"
#include "ui/look/quad_painter.h"
#include "ui/timeline/layer.h"

namespace lanescope {

class StepsLayer : public TimelineLayer {
  public:
    std::shared_ptr<const std::vector<StepBox>> steps;  // by begin; null: not known yet

    void trace_changed() override { steps.reset(); }
    void trace_closed() override { steps.reset(); }
    float place(const Timeline& timeline, const Look& look, Box area) override;
    LayerStrip strip() const override { return {"Steps", "steps", box_}; }
    void draw_strip(const Timeline& timeline, const Look& look, Canvas& canvas,
                    Requests& requests) override;
    SliceRef slice_at(const Timeline& timeline, const Look& look, ImVec2 at) const override;
    // The card of a step on its device. A step on the host has the card of its slice.
    HoverCard card_at(const Timeline& timeline, ImVec2 at) const override;
    // Selects the step's slice; a step without one becomes the marked range. A step that takes
    // another time on its device comes into view there, too.
    void click(Timeline& timeline, const LayerClick& click) override;
    void describe(const Timeline& timeline, nlohmann::json& state) const override;

  private:
    // Whether a step takes another time on its device: the strip then has a second row.
    bool has_device_row() const;
    const StepBox* step_at(const Timeline& timeline, ImVec2 at) const;
    bool is_on_device(ImVec2 at) const { return at.y > host_end_; }

    Box box_;             // of the last frame; empty: there are no steps
    float host_end_ = 0;  // where the row of the host ends and that of the device begins
    QuadBatch batch_;
};

}  // namespace lanescope
