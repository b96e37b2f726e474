// The flight of bench_view: the views of a camera that follows a script of key presses, wheel turns
// and jumps to random slices.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "bench/synthetic_trace.h"
#include "core/view/camera.h"

namespace lanescope::bench {

constexpr double kWidth = 1600;  // pixels

inline SliceRef random_slice(const Trace& trace, Random& random) {
    uint64_t at = random.next() % trace.slice_count();
    for (LaneId lane = 0; lane < trace.lanes.size(); ++lane) {
        if (at < trace.lanes[lane].slice_count) return {lane, static_cast<uint32_t>(at)};
        at -= trace.lanes[lane].slice_count;
    }
    return {};
}

// The view of each frame of the flight, which repeats the following: zoom in on a random slice
// until its name can be read, sometimes after a jump; pan along its neighbours; zoom out partly.
inline std::vector<Viewport> fly(const Trace& trace, std::size_t frames) {
    Random random(7);
    Camera camera;
    camera.set_width(kWidth);
    camera.reset(trace.content);
    std::vector<Viewport> views;
    const auto hold_while = [&](HeldKeys keys, auto&& more) {
        camera.hold(keys);
        for (int f = 0; f < 300 && views.size() < frames && more(f); ++f) {
            camera.step(1.0 / 60);
            views.push_back(camera.view());
        }
        camera.hold({});
    };
    while (views.size() < frames) {
        const SliceRef slice = random_slice(trace, random);
        const auto start = trace.start(slice);
        const auto length = static_cast<double>(std::max<Nanos>(trace.duration(slice), 1));
        if (random.unit() < 0.3) camera.frame({start, start + static_cast<Nanos>(100 * length)});
        const double cursor = std::clamp(camera.view().px_of(start), 0.0, kWidth);
        const bool fast = random.unit() < 0.5;
        hold_while({0, 1, fast, cursor},
                   [&](int) { return length / camera.view().nanos_per_px() < 60; });
        const int direction = random.unit() < 0.5 ? 1 : -1;
        hold_while({direction, 0, fast, cursor}, [](int f) { return f < 40; });
        camera.zoom(random.unit() < 0.5 ? 0.4 : 2.5, kWidth * random.unit());
        hold_while({}, [](int f) { return f < 15; });
        // Zooms out to a random scale, uniform in its logarithm.
        const double scales = static_cast<double>(trace.content.length()) / camera.view().span;
        const double max_span = camera.view().span * std::pow(scales, random.unit());
        hold_while({0, -1, fast, kWidth * random.unit()},
                   [&](int) { return camera.view().span < max_span; });
    }
    return views;
}

}  // namespace lanescope::bench
