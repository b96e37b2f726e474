#include "core/view/wheel.h"

#include <doctest/doctest.h>

#include "core/view/camera.h"

using namespace lanescope;

namespace {

constexpr TimeRange kContent{5'000'000'000, 6'000'000'000};

Camera zoomed_in() {
    Camera camera;
    camera.set_width(1000);
    camera.reset(kContent);
    camera.zoom(0.1, 500);
    while (camera.step(0.1)) {
    }
    return camera;
}

// As the timeline processes input within a frame of a sixtieth of a second.
void turn(Camera& camera, const WheelTurn& turned, const WheelHabits& habits = {}) {
    const WheelMove move = wheel_move(turned, habits);
    if (move.zoom != 1) camera.zoom(move.zoom, 300);
    if (move.pan != 0) camera.pan(move.pan);
    camera.step(1.0 / 60);
}

Viewport at_rest(Camera& camera) {
    while (camera.step(1.0 / 60)) {
    }
    return camera.view();
}

// Compares the views at their left and right ends, in pixels.
void check_same(const Viewport& a, const Viewport& b, double px) {
    CAPTURE(a.span);
    CAPTURE(b.span);
    const TimeRange range = a.range();
    CHECK(b.px_of(range.begin) == doctest::Approx(a.px_of(range.begin)).epsilon(1e-9).scale(px));
    CHECK(std::abs(b.px_of(range.begin) - a.px_of(range.begin)) < px);
    CHECK(std::abs(b.px_of(range.end) - a.px_of(range.end)) < px);
}

}  // namespace

TEST_CASE("a wheel scrolls, pans with Shift or sideways, and zooms with Ctrl") {
    CHECK(wheel_move({.along = -1}, {}).scroll == 57);
    CHECK(wheel_move({.along = -1}, {}).pan == 0);
    CHECK(wheel_move({.along = -1, .turned = true}, {}).pan == 90);
    CHECK(wheel_move({.along = -1, .turned = true}, {}).scroll == 0);
    CHECK(wheel_move({.across = -1}, {}).pan == 90);
    CHECK(wheel_move({.along = 1, .zooms = true}, {}).zoom == doctest::Approx(0.8));
    CHECK(wheel_move({.across = 3, .along = 1, .zooms = true}, {}).pan == 0);
}

TEST_CASE("two fingers that move diagonally scroll and pan together") {
    const WheelMove move = wheel_move({.across = -0.1, .along = -0.2}, {});
    CHECK(move.pan == doctest::Approx(9));
    CHECK(move.scroll == doctest::Approx(11.4));
}

TEST_CASE("each direction can be reversed; lanes follow the window system's") {
    CHECK(wheel_move({.along = 1, .zooms = true}, {.zoom_reversed = true}).zoom ==
          doctest::Approx(1.25));
    CHECK(wheel_move({.across = -1}, {.zoom_reversed = true}).pan == 90);
    CHECK(wheel_move({.across = -1}, {.pan_reversed = true}).pan == -90);
    CHECK(wheel_move({.along = 1, .turned = true}, {.pan_reversed = true}).pan == 90);
    CHECK(wheel_move({.along = -1}, {.zoom_reversed = true, .pan_reversed = true}).scroll == 57);
}

TEST_CASE("small turns add up to one large one") {
    for (const WheelTurn& whole :
         {WheelTurn{.across = -3}, WheelTurn{.along = 4, .zooms = true},
          WheelTurn{.along = -2, .zooms = true}, WheelTurn{.along = 2, .turned = true}}) {
        CAPTURE(whole.along);
        Camera single = zoomed_in();
        turn(single, whole);
        Camera often = zoomed_in();
        WheelTurn part = whole;
        part.across /= 200;
        part.along /= 200;
        for (int i = 0; i < 200; ++i) turn(often, part);
        check_same(at_rest(single), at_rest(often), 0.5);
    }
}

TEST_CASE("a touchpad moves the view in every frame, never back and never in jumps") {
    Camera camera = zoomed_in();
    double last = camera.view().px_of(kContent.begin);
    for (int i = 0; i < 120; ++i) {
        turn(camera, {.across = -0.11});  // 9.9 pixels
        const double now = camera.view().px_of(kContent.begin);
        CHECK(now < last);
        CHECK(last - now < 10);
        last = now;
    }
}

TEST_CASE("a touchpad's movement after the fingers are lifted stops at the end of the trace") {
    Camera camera = zoomed_in();
    double strength = 8;
    for (int i = 0; i < 300; ++i) turn(camera, {.across = -(strength *= 0.97)});
    const Viewport end = at_rest(camera);
    turn(camera, {.across = -5});
    CHECK(at_rest(camera) == end);
    // Nothing is left over: the way back begins immediately.
    const double before = end.px_of(kContent.end);
    turn(camera, {.across = 0.1});
    CHECK(at_rest(camera).px_of(kContent.end) == doctest::Approx(before + 9));
}

TEST_CASE("a zoom out stops when everything is in view, and zooming in again starts at single") {
    Camera camera = zoomed_in();
    for (int i = 0; i < 400; ++i) turn(camera, {.along = -0.3, .zooms = true});
    const Viewport all = at_rest(camera);
    turn(camera, {.along = -0.3, .zooms = true});
    CHECK(at_rest(camera) == all);
    turn(camera, {.along = 1, .zooms = true});
    CHECK(at_rest(camera).span == doctest::Approx(all.span * 0.8));
}
