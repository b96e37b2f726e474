#include "ui/frame/notices.h"

#include <algorithm>
#include <utility>

#include "ui/look/floating.h"

namespace lanescope {

namespace {

constexpr double kSeconds = 6;
constexpr double kHeldSeconds = 1;

}  // namespace

void Notices::show(std::string message, double now) {
    message_ = std::move(message);
    until_ = now + kSeconds;
}

void Notices::draw(double now, const Look& look) {
    if (until_ <= now) return;
    switch (draw_toast(message_, look)) {
        case ToastAnswer::held:
            until_ = std::max(until_, now + kHeldSeconds);
            break;
        case ToastAnswer::dismissed:
            until_ = 0;
            break;
        case ToastAnswer::none:
            break;
    }
}

}  // namespace lanescope
