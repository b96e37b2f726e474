// Marks all slices like the selected one: a frame around wide ones, a tick at the top of the lane
// for each pixel column in which others begin, and a line with their number.
#pragma once

#include <memory>

#include "ui/timeline/alike.h"
#include "ui/timeline/layer.h"

namespace lanescope {

class AlikeLayer : public TimelineLayer {
  public:
    std::shared_ptr<const Alike> alike;  // null: not shown

    void trace_changed() override { alike.reset(); }
    void trace_closed() override { alike.reset(); }
    void paint(LaneStage stage, const PaintInput& input, LaneTarget& target) override;
    void describe(const Timeline& timeline, nlohmann::json& state) const override;
};

}  // namespace lanescope
