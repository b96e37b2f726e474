// Navigation: commands that move the view, step from slice to slice, and mark ranges.
#pragma once

#include "ui/frame/feature.h"

namespace lanescope {

class NavigationFeature : public Feature {
  public:
    std::span<const Action> actions() const override;
    void act(Action action, Frame& frame) override;
    bool take(const Request& request, Frame& frame) override;
    bool is_on(Action action, const Frame& frame) const override;
    bool settled(const Frame& frame) const override;
    bool dismiss(Layer layer, Frame& frame) override;
    void follow(Frame& frame) override;
    void describe(const Frame& frame, nlohmann::json& state) const override;
};

}  // namespace lanescope
