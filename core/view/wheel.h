// Translates turns of a wheel and two-finger gestures on a touchpad into zooming, panning and
// scrolling. Both are reported in notches: whole notches by a wheel, small fractions in both
// directions by a touchpad.
#pragma once

namespace lanescope {

// As reported by the window system: positive is up and to the left. The system already decides
// whether content follows the fingers ("natural").
struct WheelTurn {
    double across = 0;
    double along = 0;
    bool zooms = false;   // Ctrl is held: zooms
    bool turned = false;  // Shift is held: vertical turns pan horizontally
};

// Reversed directions, for users who are used to them.
struct WheelHabits {
    bool zoom_reversed = false;
    bool pan_reversed = false;
};

// `pan`, `scroll` and the logarithm of `zoom` are proportional to the turn, so many small turns
// have the effect of one large turn.
struct WheelMove {
    double zoom = 1;    // factor for the span; below 1: zooms in
    double pan = 0;     // design pixels, positive to later times
    double scroll = 0;  // design pixels, positive to lower lanes
};
WheelMove wheel_move(const WheelTurn& turn, const WheelHabits& habits);

}  // namespace lanescope
