// SmoothScroll: what two fingers on a touchpad scroll on X11, in parts of a notch. GLFW hears there
// only of whole notches, which the server makes of those parts.
#pragma once

#include <functional>
#include <memory>

namespace lanescope {

class SmoothScroll {
  public:
    // As GLFW counts: positive is up, and to the left.
    struct Notches {
        double across = 0;
        double along = 0;
    };

    // `wake` is called from a thread of its own when there is something to take. Null without an X
    // server that knows XInput 2.1: whole notches are all there is then.
    static std::unique_ptr<SmoothScroll> open(std::function<void()> wake);
    virtual ~SmoothScroll() = default;

    // Only while the pointer is in the window: the server tells of fingers wherever it is.
    virtual void listen(bool on) = 0;
    // Since the last call.
    virtual Notches take() = 0;
    // Whether the server made this whole notch, which GLFW has just told, of parts that take()
    // gives too. Costs a round trip to the server.
    virtual bool is_echo(const Notches& whole) = 0;
};

}  // namespace lanescope
