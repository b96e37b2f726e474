// The idle gap that is described: lit on the lanes of its device, with its edges and length.
#pragma once

#include <optional>

#include "ui/timeline/layer.h"

namespace lanescope {

class GapLayer : public TimelineLayer {
  public:
    std::optional<TimeRange> gap;  // none: no gap is described
    uint32_t process = 0;          // its row of Trace::processes

    void trace_closed() override { gap.reset(); }
    void paint(LaneStage stage, const PaintInput& input, LaneTarget& target) override;
};

}  // namespace lanescope
