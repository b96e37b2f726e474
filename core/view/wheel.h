// What a wheel, or two fingers on a touchpad, mean for the timeline. Both send the same events in
// notches: a wheel whole ones, a touchpad small fractions, in both directions.
#pragma once

namespace lanescope {

// As reported by the window system: positive is up and to the left. The system already decides
// whether content follows the fingers ("natural").
struct WheelTurn {
    double across = 0;
    double along = 0;
    bool zooms = false;   // Ctrl is held
    bool turned = false;  // Shift is held: vertical means horizontal
};

// Reversed directions, for users who are used to them.
struct WheelHabits {
    bool zoom_reversed = false;
    bool pan_reversed = false;
};

// Every part is proportional to the turn, or its logarithm is: many small turns have the effect of
// one large turn.
struct WheelMove {
    double zoom = 1;    // factor for the span; below 1: zooms in
    double pan = 0;     // design pixels, positive to later times
    double scroll = 0;  // design pixels, positive to lower lanes
};
WheelMove wheel_move(const WheelTurn& turn, const WheelHabits& habits);

}  // namespace lanescope
