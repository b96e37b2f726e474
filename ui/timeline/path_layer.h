// The critical path over the lanes: a line below each of its slices, dotted during waits, vertical
// where it continues in another row. At most one segment for each pixel column.
#pragma once

#include <memory>
#include <vector>

#include "core/analysis/critical_path/critical_path.h"
#include "ui/timeline/layer.h"

namespace lanescope {

// The critical path of a step, prepared for drawing.
struct DrawnPath {
    TimeRange range;
    std::vector<PathSegment> segments;  // sorted by time; they fill the range
};

class PathLayer : public TimelineLayer {
  public:
    bool shown = false;
    std::shared_ptr<const std::vector<DrawnPath>> paths;  // of all steps; null: not yet known

    void trace_changed() override { paths.reset(); }
    void trace_closed() override { paths.reset(); }
    void paint(LaneStage stage, const PaintInput& input, LaneTarget& target) override;
    void describe(const Timeline& timeline, nlohmann::json& state) const override;
};

}  // namespace lanescope
