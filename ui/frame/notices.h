// Notices: the short message at the lower edge of the window.
#pragma once

#include <string>

#include "ui/look/theme.h"

namespace lanescope {

class Notices {
  public:
    // Replaces the present message for some seconds. `now` in seconds.
    void show(std::string message, double now);
    // Empty: there is none.
    std::string at(double now) const { return until_ > now ? message_ : std::string(); }
    // When the message ends, in seconds; in the past without a message.
    double until() const { return until_; }
    // Stays while the pointer is over it; a click dismisses it.
    void draw(double now, const Look& look);

  private:
    std::string message_;
    double until_ = 0;
};

}  // namespace lanescope
