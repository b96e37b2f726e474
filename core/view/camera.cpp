#include "core/view/camera.h"

#include <algorithm>
#include <cmath>

namespace lanescope {

namespace {

constexpr double kTimeConstant = Camera::kEaseSeconds / 3;  // 1 - e^-3 = 95 %
constexpr double kStopPx = 0.25;

// Lets the speed approach `wanted`. Returns the exact distance covered, so that it does not depend
// on the number of steps.
double advance(double& speed, double wanted, double seconds, double time_constant) {
    if (time_constant <= 0) {
        speed = wanted;
        return wanted * seconds;
    }
    const double decay = std::exp(-seconds / time_constant);
    const double distance = wanted * seconds + (speed - wanted) * time_constant * (1 - decay);
    speed = wanted + (speed - wanted) * decay;
    return distance;
}

// The position in pixels at which both views show the same time; it exists for views of different
// scale.
double common_px(const Viewport& a, const Viewport& b) {
    const double left = static_cast<double>(b.start - a.start) + (b.fraction - a.fraction);
    return a.width * left / (a.span - b.span);
}

// A view with the time of `to` at `anchor_px`, and another span.
Viewport on_the_way(const Viewport& to, double span, double anchor_px) {
    return zoomed(to, span / to.span, anchor_px);
}

}  // namespace

void Camera::set_content(TimeRange content, TimeRange first) {
    content_ = content;
    if (pristine_) {
        now_ = target_ = framed(now_, first);
    } else {
        set_target(target_);
    }
}

void Camera::reset(TimeRange content, TimeRange first) {
    pristine_ = true;
    pan_speed_ = zoom_speed_ = 0;
    set_content(content, first);
}

void Camera::set_width(double px) {
    now_.width = target_.width = std::max(px, 1.0);
}

void Camera::set_target(const Viewport& view) {
    target_ = clamped(view, content_);
    has_anchor_ = false;
    if (!motion_) now_ = target_;
}

void Camera::zoom(double factor, double anchor_px) {
    pristine_ = false;
    // The user drags what is under the cursor now, even during a move.
    const Viewport wanted = zoomed(now_, target_.span * factor / now_.span, anchor_px);
    set_target(wanted);
    has_anchor_ = target_ == wanted;
    anchor_px_ = anchor_px;
}

void Camera::pan(double px) {
    pristine_ = false;
    set_target(panned(target_, px));
}

void Camera::drag(double px) {
    pristine_ = false;
    now_ = clamped(panned(now_, px), content_);
    target_ = now_;
    has_anchor_ = false;
}

void Camera::frame(TimeRange range, double margin) {
    go_to(framed(target_, range, margin));
}

void Camera::go_to(const Viewport& view) {
    pristine_ = false;
    Viewport wanted = view;
    wanted.width = now_.width;
    set_target(wanted);
    // A zoom looks smooth if the logarithm of the span changes at a constant rate around the
    // position that both views share. If that is far outside the view, the move is effectively a
    // pan.
    if (std::abs(std::log(target_.span / now_.span)) < 0.1) return;
    anchor_px_ = common_px(now_, target_);
    has_anchor_ = std::abs(anchor_px_) < 50 * now_.width;
}

bool Camera::step(double seconds) {
    if (seconds > 0) {
        step_held(seconds);
        step_eased(seconds);
    }
    return moving();
}

void Camera::step_held(double seconds) {
    const double fast = held_.fast ? kFastFactor : 1;
    const double time_constant = motion_ ? kTimeConstant : 0;
    const double pan_px =
        advance(pan_speed_, held_.pan * kPanPxPerSecond * fast, seconds, time_constant);
    const double zoom_log =
        advance(zoom_speed_, held_.zoom * kZoomPerSecond * fast, seconds, time_constant);
    if (held_.pan == 0 && std::abs(pan_speed_) * kTimeConstant < kStopPx) pan_speed_ = 0;
    if (held_.zoom == 0 && std::abs(zoom_speed_) * kTimeConstant * now_.width < kStopPx)
        zoom_speed_ = 0;
    if (pan_px == 0 && zoom_log == 0) return;
    pristine_ = false;
    const double factor = std::exp(-zoom_log);
    now_ = clamped(panned(zoomed(now_, factor, held_.anchor_px), pan_px), content_);
    target_ = clamped(panned(zoomed(target_, factor, held_.anchor_px), pan_px), content_);
    has_anchor_ = false;
}

void Camera::step_eased(double seconds) {
    if (now_ == target_) return;
    const double part = 1 - std::exp(-seconds / kTimeConstant);
    if (has_anchor_) {
        now_ =
            on_the_way(target_, now_.span * std::pow(target_.span / now_.span, part), anchor_px_);
    } else {
        const double left =
            static_cast<double>(target_.start - now_.start) + (target_.fraction - now_.fraction);
        now_ = panned(now_, left * part / now_.nanos_per_px());
        now_.span += (target_.span - now_.span) * part;
    }
    if (nearly_same(now_, target_)) now_ = target_;
}

bool Camera::moving() const {
    return now_ != target_ || pan_speed_ != 0 || zoom_speed_ != 0 || held_.pan != 0 ||
           held_.zoom != 0;
}

}  // namespace lanescope
