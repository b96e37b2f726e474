// Critical path: the critical path of each step, computed in the background while the lanes show
// it.
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
