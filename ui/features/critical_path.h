// Critical path: that of each step, computed in the background while it is shown on the lanes.
#pragma once

#include "ui/frame/feature.h"

namespace lanescope {

class CriticalPathFeature : public Feature {
  public:
    std::span<const Action> actions() const override;
    void act(Action action, Frame& frame) override;
    bool is_on(Action action, const Frame& frame) const override;
    void follow(Frame& frame) override;
};

}  // namespace lanescope
