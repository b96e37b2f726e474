// Viewport: which stretch of time a strip of pixels shows. Times stay whole nanoseconds; only what
// is smaller than a pixel is a double.
#pragma once

#include "core/base/nanos.h"

namespace lanescope {

struct Viewport {
    Nanos start = 0;      // time at the left edge …
    double fraction = 0;  // … and the part of a nanosecond after it, in [0, 1)
    double span = 1;      // nanoseconds in view, more than 0
    double width = 1;     // pixels, more than 0

    double nanos_per_px() const { return span / width; }
    // Pixels from the left edge; exact to far below a pixel for whatever is near the view.
    double px_of(Nanos t) const;
    // The nanosecond that holds the point at `px`.
    Nanos time_at(double px) const;
    // The whole nanoseconds that touch the view.
    TimeRange range() const;

    friend bool operator==(const Viewport&, const Viewport&) = default;
};

inline constexpr double kShortestSpan = 20;  // ns; 80 px a nanosecond on a 1600 px wide timeline

// The span times `factor`; what is at `anchor_px` stays there.
Viewport zoomed(const Viewport& view, double factor, double anchor_px);
// Moves the view to later times by `px`.
Viewport panned(const Viewport& view, double px);
// Shows `range` with `margin` (a part of the span) free at each side.
Viewport framed(const Viewport& view, TimeRange range, double margin = 0.05);
// The nearest view that is no closer than kShortestSpan and, but for a margin of a twentieth,
// inside `content`.
Viewport clamped(const Viewport& view, TimeRange content);
// Both views show the same to within a quarter of a pixel.
bool nearly_same(const Viewport& a, const Viewport& b);

}  // namespace lanescope
