// Viewport: the range of time that a strip of pixels shows. The left edge is stored as whole
// nanoseconds and a fraction, so that it is exact at any distance from the trace's origin.
#pragma once

#include "core/base/nanos.h"

namespace lanescope {

struct Viewport {
    Nanos start = 0;      // time at the left edge …
    double fraction = 0;  // … and the fraction of a nanosecond after it, in [0, 1)
    double span = 1;      // visible nanoseconds, above 0
    double width = 1;     // pixels, more than 0

    double nanos_per_px() const { return span / width; }
    // Pixels from the left edge; for times near the view, exact to far below a pixel.
    double px_of(Nanos t) const;
    // The nanosecond that contains the point at `px`.
    Nanos time_at(double px) const;
    // The whole nanoseconds that touch the view.
    TimeRange range() const;

    friend bool operator==(const Viewport&, const Viewport&) = default;
};

inline constexpr double kShortestSpan = 20;  // ns; 80 px a nanosecond on a 1600 px wide timeline

// Multiplies the span by `factor`; the time at `anchor_px` stays there.
Viewport zoomed(const Viewport& view, double factor, double anchor_px);
// Moves the view to later times by `px`.
Viewport panned(const Viewport& view, double px);
// Shows `range` with a free `margin` (a fraction of the span) at each side.
Viewport framed(const Viewport& view, TimeRange range, double margin = 0.05);
// The nearest view that is at least kShortestSpan wide and, except for a margin of a twentieth,
// inside `content`.
Viewport clamped(const Viewport& view, TimeRange content);
// Whether both views show the same to within a quarter of a pixel.
bool nearly_same(const Viewport& a, const Viewport& b);

}  // namespace lanescope
