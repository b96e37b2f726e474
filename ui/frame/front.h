// Front: which panel is to come to the front of its tabs.
#pragma once

#include <string>
#include <string_view>

#include "ui/commands/requests.h"

namespace lanescope {

class Front {
  public:
    // Brings a panel to the front of its tabs in the next frame.
    void bring(std::string_view panel) { wanted_ = panel; }
    // The panel that the user asked for by name, or by a command.
    void choose(std::string_view panel) {
        wanted_ = panel;
        chosen_ = panel;
    }
    bool wants(std::string_view panel) const { return wanted_ == panel; }
    void done() { wanted_.clear(); }
    const std::string& chosen() const { return chosen_; }  // last; empty: none

    // Selection and Range share a place by default; only then does one cover the other: brings the
    // one to the front that describes what the user selected last.
    void tell(Tell what);

  private:
    std::string wanted_;  // empty: none
    std::string chosen_;
};

}  // namespace lanescope
