// Beats: a line across the lanes at each multiple of a period, such as a display's frame time.
#pragma once

#include <optional>

#include "ui/timeline/layer.h"

namespace lanescope {

class BeatLayer : public TimelineLayer {
  public:
    std::optional<Nanos> period;  // above 0; none: no lines
    Nanos first = 0;              // the time of one of the lines

    void trace_closed() override { period.reset(); }
    void paint(LaneStage stage, const PaintInput& input, LaneTarget& target) override;
    void describe(const Timeline& timeline, nlohmann::json& state) const override;
};

}  // namespace lanescope
