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
        CHECK(times->seconds.size() == 12);
        CHECK(std::all_of(times->seconds.begin(), times->seconds.end(),
                          [](double seconds) { return seconds > 0; }));
        CHECK(!times->renderer.empty());
    }
}
