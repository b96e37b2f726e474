#include "ui/frame/frame_pacing.h"

#include <doctest/doctest.h>

using namespace lanescope;
using Sleep = FramePacing::Sleep;

namespace {

// Draws everything due at `now`; returns the number of frames.
int frames_due(FramePacing& pacing, double now) {
    int frames = 0;
    while (pacing.plan(now).sleep == Sleep::none && frames < 100) {
        pacing.frame_begins(now);
        ++frames;
    }
    return frames;
}

}  // namespace

TEST_CASE("An idle window draws its settling frames and then sleeps for good") {
    FramePacing pacing;
    CHECK(frames_due(pacing, 0) == 3);
    CHECK(pacing.plan(0).sleep == Sleep::forever);
    CHECK(pacing.plan(1e6).sleep == Sleep::forever);
}

TEST_CASE("Input wakes the window for three frames, also when it comes repeatedly within one") {
    FramePacing pacing;
    frames_due(pacing, 0);
    pacing.wake();
    pacing.wake();
    CHECK(frames_due(pacing, 1) == 3);
    pacing.wake();
    pacing.frame_begins(2);
    pacing.wake();
    CHECK(frames_due(pacing, 2) == 3);
}

TEST_CASE("An animation is drawn in every frame until it ends") {
    FramePacing pacing;
    frames_due(pacing, 0);
    pacing.set_moving(true);
    for (int i = 0; i < 10; ++i) {
        CHECK(pacing.plan(i).sleep == Sleep::none);
        pacing.frame_begins(i);
        pacing.set_moving(true);
    }
    pacing.frame_begins(10);
    CHECK(pacing.plan(10).sleep == Sleep::forever);
}

TEST_CASE("The window sleeps until a deadline, draws once, and forgets it; the earliest counts") {
    FramePacing pacing;
    frames_due(pacing, 0);
    pacing.set_deadline(5);
    pacing.set_deadline(3);
    pacing.set_deadline(9);
    const FramePacing::Plan plan = pacing.plan(1);
    CHECK(plan.sleep == Sleep::until);
    CHECK(plan.seconds == doctest::Approx(2));
    CHECK(frames_due(pacing, 2.5) == 0);
    CHECK(frames_due(pacing, 3) == 1);
    CHECK(pacing.plan(3).sleep == Sleep::forever);
}

TEST_CASE("A deadline set while a frame is built applies to the next one") {
    FramePacing pacing;
    frames_due(pacing, 0);
    pacing.set_deadline(1);
    CHECK(pacing.plan(1).sleep == Sleep::none);
    pacing.frame_begins(1);
    pacing.set_deadline(1.1);
    CHECK(pacing.plan(1).sleep == Sleep::until);
}
