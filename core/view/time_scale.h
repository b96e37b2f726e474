// Converts time to pixels, for code that does so thousands of times a frame.
#pragma once

#include "core/base/nanos.h"
#include "core/view/viewport.h"

namespace lanescope {

// Converts time to pixels; a Viewport with precomputed reciprocal.
struct TimeScale {
    explicit TimeScale(const Viewport& view)
        : start(view.start), fraction(view.fraction), px_per_nano(view.width / view.span) {}

    double px(Nanos t) const { return (static_cast<double>(t - start) - fraction) * px_per_nano; }

    Nanos start;
    double fraction;
    double px_per_nano;
};

}  // namespace lanescope
