// Undo and redo of changes of view, lanes, layout and notes, for each trace until it is closed.
#pragma once

#include "ui/frame/feature.h"

namespace lanescope {

class UndoFeature : public Feature {
  public:
    std::span<const Action> actions() const override;
    void act(Action action, Frame& frame) override;
    void replacing(const ViewIndexPtr& next, Frame& frame) override;
    void follow(Frame& frame) override;
};

}  // namespace lanescope
