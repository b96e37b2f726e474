// Gap walk: idle spans of the GPU, found for the lanes in the background, and the walk from one
// idle gap to the next, longest first.
#pragma once

#include "ui/frame/feature.h"
#include "ui/panels/gap_panel.h"

namespace lanescope {

class GapWalkFeature : public Feature {
  public:
    std::span<const Action> actions() const override;
    void act(Action action, Frame& frame) override;
    bool take(const Request& request, Frame& frame) override;
    bool is_on(Action action, const Frame& frame) const override;
    bool dismiss(Layer layer, Frame& frame) override;
    void loaded(LoadedTrace& loaded, Frame& frame) override;
    void follow(Frame& frame) override;
    void describe(const Frame& frame, nlohmann::json& state) const override;

  private:
    // Describes the device's gap that shares most time with a row of the table of gaps.
    static void describe_gap(TimeRange range, Frame& frame);
    static void walk(int direction, Frame& frame);
};

}  // namespace lanescope
