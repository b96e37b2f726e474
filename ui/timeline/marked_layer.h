// The marked range of time, over its lanes, and its length.
#pragma once

#include "ui/timeline/layer.h"

namespace lanescope {

class MarkedLayer : public TimelineLayer {
  public:
    void paint(LaneStage stage, const PaintInput& input, LaneTarget& target) override;
    void describe(const Timeline& timeline, nlohmann::json& state) const override;
};

}  // namespace lanescope
