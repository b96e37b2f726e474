// The ranks of one job: compared in the background once all are read. A selected collective is
// described on all ranks.
#pragma once

#include "ui/frame/feature.h"

namespace lanescope {

class RanksFeature : public Feature {
  public:
    void loaded(LoadedTrace& loaded, Frame& frame) override;
    void follow(Frame& frame) override;
    void describe(const Frame& frame, nlohmann::json& state) const override;
};

}  // namespace lanescope
