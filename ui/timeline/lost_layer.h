// Lost time: the share of the devices' time that was lost, at the lower edge of the overview.
#pragma once

#include <vector>

#include "ui/timeline/layer.h"

namespace lanescope {

// Height at scale 1.
inline constexpr float kLostHeight = 5;

class LostTimeLayer : public TimelineLayer {
  public:
    std::vector<float> columns;  // see lost_time(); empty: unknown

    void trace_closed() override { columns.clear(); }
    void paint_overview(const Timeline& timeline, const Look& look, QuadBatch& batch) override;
    void describe(const Timeline& timeline, nlohmann::json& state) const override;
};

// The maximum of the columns in [begin, end); fractions are rounded outwards.
float busiest(const std::vector<float>& columns, double begin, double end);

}  // namespace lanescope
