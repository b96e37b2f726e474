// The ruler: ticks at round times, labelled with as many digits as the zoom can resolve.
#pragma once

#include <string>
#include <vector>

#include "core/base/format.h"
#include "core/base/nanos.h"
#include "core/view/viewport.h"

namespace lanescope {

// The round step between ticks: 1, 2 or 5 times a power of ten, in whole nanoseconds.
struct RulerScale {
    Nanos major = 1;               // labelled; at least the requested number of pixels apart
    Nanos minor = 1;               // between them; equal to major if there is no space
    TimeUnit unit = TimeUnit::ns;  // of the labels
    int decimals = 0;              // enough to distinguish neighbouring labels
};
RulerScale ruler_scale(const Viewport& view, Nanos origin, double min_major_px = 90,
                       double min_minor_px = 8);

struct RulerTick {
    double x = 0;
    Nanos time = 0;
    bool major = false;
};
// The visible ticks from left to right, relative to `origin`, and the major tick left of the view,
// whose label may reach into it. Clears `ticks` first.
void place_ticks(const Viewport& view, Nanos origin, const RulerScale& scale,
                 std::vector<RulerTick>& ticks);

// "2.45 ms": a time relative to the origin with the scale's unit and decimals.
std::string tick_label(Nanos time, Nanos origin, const RulerScale& scale);
// The time at the cursor, with the precision of a tenth of a pixel: "2.6116 ms".
std::string cursor_label(Nanos time, Nanos origin, const Viewport& view);

}  // namespace lanescope
