// Steps: finds the steps of a loaded trace for the lane above the others.
#pragma once

#include "ui/frame/feature.h"

namespace lanescope {

class StepsFeature : public Feature {
  public:
    void loaded(LoadedTrace& loaded, Frame& frame) override;
    void describe(const Frame& frame, nlohmann::json& state) const override;
};

}  // namespace lanescope
