// What a wheel or two fingers on a touchpad ask of the timeline. Both come as the same events, in
// notches: a wheel turns by whole ones, a touchpad by small fractions, across as well as along.
#pragma once

namespace lanescope {

// As the window system gives it: positive is up, and to the left. Whether content follows the
// fingers ("natural") was decided there.
struct WheelTurn {
    double across = 0;
    double along = 0;
    bool zooms = false;   // Ctrl is held
    bool turned = false;  // Shift is held: along means across
};

// The other way round than at first, for hands that learnt so.
struct WheelHabits {
    bool zoom_reversed = false;
    bool pan_reversed = false;
};

// Every part is proportional to the turn, or its logarithm is: many small ones do what one large
// one does.
struct WheelMove {
    double zoom = 1;    // factor on the span; below 1: closer
    double pan = 0;     // pixels of the design, positive to later times
    double scroll = 0;  // pixels of the design, positive to lower lanes
};
WheelMove wheel_move(const WheelTurn& turn, const WheelHabits& habits);

}  // namespace lanescope
