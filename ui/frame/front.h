// Front: decides which panel comes to the front of its tabs.
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
    const std::string& wanted() const { return wanted_; }
    bool wants(std::string_view panel) const { return wanted_ == panel; }
    void done() { wanted_.clear(); }
    const std::string& chosen() const { return chosen_; }  // the last such panel; empty: none

    // Selection and Range share a place by default, and then one covers the other. Brings to the
    // front the one that describes what the user selected last.
    void show_description_of(Described described);

  private:
    std::string wanted_;  // empty: none
    std::string chosen_;
};

}  // namespace lanescope
