// Pin: remembers one slice of the open trace.
#pragma once

#include "ui/frame/feature.h"

namespace lanescope {

// A command of the window is an enumerator in ui/commands/keys.h instead, Action::pin_slice.
inline constexpr auto kPinSlice = static_cast<Action>(10'000);

class PinFeature : public Feature {
  public:
    std::span<const Action> actions() const override;
    void act(Action action, Frame& frame) override;
    void describe(const Frame& frame, nlohmann::json& state) const override;
};

}  // namespace lanescope
