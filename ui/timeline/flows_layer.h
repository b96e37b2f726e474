// The flows of all visible slices: an arrow along each that the picture has space for.
#pragma once

#include "core/view/visible_links.h"
#include "ui/timeline/layer.h"

namespace lanescope {

// The number of flows of visible slices, and how many of them are drawn.
struct ShownFlows {
    std::size_t drawn = 0;
    std::size_t all = 0;
};

class FlowsLayer : public TimelineLayer {
  public:
    bool shown = false;

    void paint(LaneStage stage, const PaintInput& input, LaneTarget& target) override;
    void describe(const Timeline& timeline, nlohmann::json& state) const override;

  private:
    VisibleLinks main_, pinned_;  // of the last frame
    ShownFlows flows_;
};

}  // namespace lanescope
