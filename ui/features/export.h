// Export: lists what can be taken out of the window: pictures, the table in front, notes.
#pragma once

#include "ui/frame/feature.h"

namespace lanescope {

class ExportFeature : public Feature {
  public:
    std::span<const Action> actions() const override;
    void act(Action action, Frame& frame) override;
};

}  // namespace lanescope
