#include "core/view/ruler.h"

#include <algorithm>
#include <cmath>

namespace lanescope {

namespace {

// The smallest of 1, 2, 5, 10, 20 … that is at least `nanos`.
Nanos round_step(double nanos) {
    Nanos power = 1;
    constexpr Nanos largest = 1'000'000'000'000'000'000;
    while (power < largest) {
        for (const Nanos factor : {1, 2, 5}) {
            if (static_cast<double>(power * factor) >= nanos) return power * factor;
        }
        power *= 10;
    }
    return largest;
}

// Decimals needed to write multiples of `step` nanoseconds in a unit.
int decimals_of(Nanos step, TimeUnit unit) {
    int decimals = 0;
    for (Nanos digit = time_unit_nanos(unit); step % digit != 0; digit /= 10) ++decimals;
    return decimals;
}

Nanos floor_to(Nanos t, Nanos step) {
    const Nanos rest = t % step;
    return t - rest - (rest < 0 ? step : 0);
}

}  // namespace

RulerScale ruler_scale(const Viewport& view, Nanos origin, double min_major_px,
                       double min_minor_px) {
    RulerScale scale;
    scale.major = round_step(std::max(min_major_px * view.nanos_per_px(), 1.0));
    // 1 is divided by 10, 5 or 2; 2 by 4 or 2; 5 by 5: into round steps again, as fine as space
    // permits.
    scale.minor = scale.major;
    for (const Nanos parts : {10, 5, 4, 2}) {
        const Nanos minor = scale.major / parts;
        if (scale.major % parts != 0 ||
            static_cast<double>(minor) < min_minor_px * view.nanos_per_px())
            continue;
        if (round_step(static_cast<double>(minor)) != minor) continue;
        scale.minor = minor;
        break;
    }
    const TimeRange range = view.range();
    const Nanos largest = std::max(std::abs(range.begin - origin), std::abs(range.end - origin));
    scale.unit = time_unit_for(largest);
    scale.decimals = decimals_of(scale.major, scale.unit);
    return scale;
}

void place_ticks(const Viewport& view, Nanos origin, const RulerScale& scale,
                 std::vector<RulerTick>& ticks) {
    ticks.clear();
    const TimeRange range = view.range();
    for (Nanos t = floor_to(range.begin - origin, scale.major); t <= range.end - origin;
         t += scale.minor) {
        const double x = view.px_of(t + origin);
        const bool major = t % scale.major == 0;
        if (x > view.width) break;
        if (x < 0 && !major) continue;
        ticks.push_back({x, t + origin, major});
    }
}

std::string tick_label(Nanos time, Nanos origin, const RulerScale& scale) {
    return format_duration_in(time - origin, scale.unit, scale.decimals);
}

std::string cursor_label(Nanos time, Nanos origin, const Viewport& view) {
    const TimeUnit unit = time_unit_for(time - origin);
    const double resolution = std::max(view.nanos_per_px() / 10, 1.0);
    const Nanos step = round_step(std::pow(10, std::floor(std::log10(resolution))));
    return format_duration_in(time - origin, unit, decimals_of(step, unit));
}

}  // namespace lanescope
