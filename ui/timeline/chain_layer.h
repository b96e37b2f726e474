// Keeps everything related to the selected slice bright, and dims the rest.
#pragma once

#include "ui/timeline/layer.h"

namespace lanescope {

class ChainLayer : public TimelineLayer {
  public:
    void paint(LaneStage stage, const PaintInput& input, LaneTarget& target) override;
    void describe(const Timeline& timeline, nlohmann::json& state) const override;
};

}  // namespace lanescope
