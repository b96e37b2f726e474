// Camera: the viewport in motion. Input sets the target; `step` moves there. Time is an argument,
// so the same input gives the same views on any machine.
#pragma once

#include "core/base/nanos.h"
#include "core/view/viewport.h"

namespace lanescope {

// Keys held down. Directions are -1, 0 or 1.
struct HeldKeys {
    int pan = 0;   // 1: to later times (D), -1: earlier (A)
    int zoom = 0;  // 1: closer (W), -1: S
    bool fast = false;
    double anchor_px = 0;  // fixed point of a zoom: the cursor, or the middle
};

class Camera {
  public:
    static constexpr double kEaseSeconds = 0.1;  // after this time a move is 95 % done
    static constexpr double kPanPxPerSecond = 1200;
    static constexpr double kZoomPerSecond = 3.2;  // natural logarithm of the span, per second
    static constexpr double kFastFactor = 3;

    // Sets the range that the view may show. Until the user first moves the camera, it shows
    // `first` (usually the whole range), so that a loading trace stays in view.
    void set_content(TimeRange content, TimeRange first);
    void set_content(TimeRange content) { set_content(content, content); }
    // Forgets the old position, for a new trace.
    void reset(TimeRange content, TimeRange first);
    void reset(TimeRange content) { reset(content, content); }
    // Shows the same time in another number of pixels.
    void set_width(double px);
    // Without motion, every change takes effect immediately.
    void set_motion(bool on) { motion_ = on; }
    bool has_motion() const { return motion_; }

    const Viewport& view() const { return now_; }
    const Viewport& target() const { return target_; }
    TimeRange content() const { return content_; }
    bool untouched() const { return pristine_; }  // not yet moved by the user

    void zoom(double factor, double anchor_px);
    void pan(double px);
    // Like pan, but follows the hand without easing (drags).
    void drag(double px);
    void frame(TimeRange range, double margin = 0.05);
    void go_to(const Viewport& view);
    void hold(const HeldKeys& keys) { held_ = keys; }

    // Advances by `seconds`. True while the motion continues: draw the next frame without waiting
    // for input.
    bool step(double seconds);
    bool moving() const;

  private:
    void set_target(const Viewport& view);
    void step_held(double seconds);
    void step_eased(double seconds);

    TimeRange content_;
    Viewport now_;
    Viewport target_;
    HeldKeys held_;
    double pan_speed_ = 0;     // px/s
    double zoom_speed_ = 0;    // of the logarithm of the span, per second
    double anchor_px_ = 0;     // fixed point of an eased zoom, in pixels …
    bool has_anchor_ = false;  // … if the move has one
    bool motion_ = true;
    bool pristine_ = true;
};

}  // namespace lanescope
