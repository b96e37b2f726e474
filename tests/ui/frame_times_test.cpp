#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <numeric>

#include "ui/app/run_window.h"

using namespace lanescope;

namespace {

double sum(const std::vector<double>& seconds) {
    return std::accumulate(seconds.begin(), seconds.end(), 0.0);
}

}  // namespace

TEST_CASE("frames are timed with the window and without it") {
    PictureOptions picture;
    picture.width = 640;
    picture.height = 360;
    for (const bool timeline_alone : {false, true}) {
        CAPTURE(timeline_alone);
        const auto began = std::chrono::steady_clock::now();
        const auto times = time_frames(
            picture, LANESCOPE_ROOT "/assets/samples/synthetic_step.json.gz", 12, timeline_alone);
        const std::chrono::duration<double> whole = std::chrono::steady_clock::now() - began;
        REQUIRE(times);
        for (const auto& seconds : {times->seconds, times->cpu_seconds, times->thread_seconds}) {
            CHECK(seconds.size() == 12);
            CHECK(std::ranges::all_of(seconds, [](double s) { return s > 0; }));
        }
        // Frames do not overlap, and the window's thread is one of the process's threads.
        CHECK(sum(times->seconds) < whole.count());
        CHECK(sum(times->thread_seconds) <= sum(times->cpu_seconds));
        CHECK(sum(times->thread_seconds) <= sum(times->seconds) * 1.01);
        CHECK(!times->renderer.empty());
    }
}
