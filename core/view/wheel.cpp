#include "core/view/wheel.h"

#include <cmath>

namespace lanescope {

namespace {

constexpr double kZoom = 1.25;  // the span, by one notch
constexpr double kPan = 90;     // pixels, by one notch
constexpr double kScroll = 57;  // pixels for one notch: three rows

}  // namespace

WheelMove wheel_move(const WheelTurn& turn, const WheelHabits& habits) {
    WheelMove move;
    if (turn.zooms) {
        move.zoom = std::pow(kZoom, habits.zoom_reversed ? turn.along : -turn.along);
        return move;
    }
    const double across = turn.across + (turn.turned ? turn.along : 0);
    move.pan = (habits.pan_reversed ? across : -across) * kPan;
    if (!turn.turned) move.scroll = -turn.along * kScroll;
    return move;
}

}  // namespace lanescope
