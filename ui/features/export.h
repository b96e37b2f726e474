// Export: lists the commands that save pictures, the table in front, and notes.
#pragma once

#include "ui/frame/feature.h"

namespace lanescope {

class ExportFeature : public Feature {
  public:
    std::span<const Action> actions() const override;
    void act(Action action, Frame& frame) override;
};

}  // namespace lanescope
