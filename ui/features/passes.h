// Passes: from a forward operator to the one that runs its backward, and back.
#pragma once

#include "ui/frame/feature.h"

namespace lanescope {

class PassesFeature : public Feature {
  public:
    std::span<const Action> actions() const override;
    void act(Action action, Frame& frame) override;
};

}  // namespace lanescope
