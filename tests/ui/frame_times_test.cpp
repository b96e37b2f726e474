#include <doctest/doctest.h>

#include <algorithm>

#include "ui/shell/window.h"

using namespace lanescope;

TEST_CASE("Frames are timed with the window and without it") {
    PictureOptions picture;
    picture.width = 640;
    picture.height = 360;
    for (const bool timeline_alone : {false, true}) {
        CAPTURE(timeline_alone);
        const auto times = time_frames(
            picture, LANESCOPE_ROOT "/assets/samples/synthetic_step.json.gz", 12, timeline_alone);
        REQUIRE(times);
        for (const auto& seconds : {times->seconds, times->cpu_seconds}) {
            CHECK(seconds.size() == 12);
            CHECK(std::all_of(seconds.begin(), seconds.end(), [](double s) { return s > 0; }));
        }
        CHECK(!times->renderer.empty());
    }
}
