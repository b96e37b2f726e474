// Collectives across the ranks of one job: matched in the background once all are read, and
// described while one is selected.
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
