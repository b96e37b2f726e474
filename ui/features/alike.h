// Alike: marks all slices like the selected one.
#pragma once

#include "ui/frame/feature.h"

namespace lanescope {

class AlikeFeature : public Feature {
  public:
    std::span<const Action> actions() const override;
    void act(Action action, Frame& frame) override;
    bool dismiss(Layer layer, Frame& frame) override;
};

}  // namespace lanescope
