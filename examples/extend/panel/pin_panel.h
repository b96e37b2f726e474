// Pin: the pinned slice.
#pragma once

#include "ui/panels/panel.h"

namespace lanescope {

// A panel of the window has this line in ui/commands/panel_names.h.
inline constexpr std::string_view kPinPanel = "Pin";

// In OpenTrace::state.
struct PinnedSlice {
    SliceRef slice;  // empty: none
};

class PinPanel : public Panel {
  public:
    std::string_view name() const override { return kPinPanel; }
    void draw(Frame& frame) override;
};

}  // namespace lanescope
