// SmoothScroll: fractions of a notch from a touchpad on X11. GLFW only receives the whole notches
// that the server makes of them.
#pragma once

#include <functional>
#include <memory>

namespace lanescope {

class SmoothScroll {
  public:
    // GLFW's convention: positive is up and to the left.
    struct Notches {
        double across = 0;
        double along = 0;
    };

    // `wake` is called from a separate thread when there is something to take. Null without an X
    // server that supports XInput 2.1: then there are only whole notches.
    static std::unique_ptr<SmoothScroll> open(std::function<void()> wake);
    virtual ~SmoothScroll() = default;

    // Enable only while the pointer is in the window: the server reports scrolling wherever the
    // pointer is.
    virtual void listen(bool on) = 0;
    // Since the last call.
    virtual Notches take() = 0;
    // Whether the server made this whole notch, which GLFW has just reported, of fractions that
    // take() also returns. Costs a round trip to the server.
    virtual bool is_echo(const Notches& whole) = 0;
};

}  // namespace lanescope
