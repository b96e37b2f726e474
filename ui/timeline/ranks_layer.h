// One collective on all displayed ranks: lines connect the ranks, so that the late one stands out.
#pragma once

#include <vector>

#include "ui/timeline/layer.h"

namespace lanescope {

class RanksLayer : public TimelineLayer {
  public:
    std::vector<SliceRef> same_call;  // calls of the selected collective on all ranks, by rank

    void trace_closed() override { same_call.clear(); }
    void paint(LaneStage stage, const PaintInput& input, LaneTarget& target) override;
};

}  // namespace lanescope
