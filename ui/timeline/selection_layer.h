// The selected slice: its frame, a flash when it is brought into view, and its flows to launches
// and kernels.
#pragma once

#include "ui/timeline/layer.h"

namespace lanescope {

// The frame around a slice that was brought into view: it fades once.
struct Flash {
    static constexpr double kSeconds = 0.6;
    SliceRef slice;
    double left = 0;  // seconds
};

class SelectionLayer : public TimelineLayer {
  public:
    Flash flash;

    void trace_closed() override { flash = {}; }
    bool step(double seconds) override;
    void paint(LaneStage stage, const PaintInput& input, LaneTarget& target) override;
};

}  // namespace lanescope
