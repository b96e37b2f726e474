#include "core/view/camera.h"

#include <doctest/doctest.h>

#include <cmath>
#include <random>

using namespace lanescope;

namespace {

constexpr TimeRange kContent{5'000'000'000, 6'000'000'000};

Camera make_camera() {
    Camera camera;
    camera.set_width(1000);
    camera.reset(kContent);
    return camera;
}

// Runs until the camera rests; returns the seconds.
double settle(Camera& camera, double frame = 1.0 / 60) {
    double seconds = 0;
    while (camera.step(frame)) {
        seconds += frame;
        REQUIRE(seconds < 5);
    }
    return seconds;
}

double time_at(const Viewport& view, double px) {
    return static_cast<double>(view.start - kContent.begin) + view.fraction +
           px * view.nanos_per_px();
}

}  // namespace

TEST_CASE("a new camera shows everything, also while a trace grows, until it is moved") {
    Camera camera = make_camera();
    CHECK(camera.view().px_of(kContent.begin) == doctest::Approx(50));
    CHECK_FALSE(camera.moving());
    camera.set_content({kContent.begin, kContent.end + 1'000'000'000});
    CHECK(camera.view().px_of(kContent.end + 1'000'000'000) == doctest::Approx(950));
    camera.zoom(0.5, 500);
    settle(camera);
    const Viewport view = camera.view();
    camera.set_content({kContent.begin, kContent.end + 5'000'000'000});
    CHECK(camera.view() == view);
}

TEST_CASE("a new camera may show a part first, until it is moved") {
    Camera camera;
    camera.set_width(1000);
    const TimeRange part{kContent.begin + 100'000'000, kContent.begin + 200'000'000};
    camera.reset(kContent, part);
    CHECK(camera.untouched());
    CHECK(camera.view().px_of(part.begin) == doctest::Approx(50));
    CHECK(camera.view().px_of(part.end) == doctest::Approx(950));
    camera.zoom(1e6, 500);
    settle(camera);
    CHECK_FALSE(camera.untouched());
    CHECK(camera.view().px_of(kContent.begin) >= 0);
    CHECK(camera.view().px_of(kContent.end) <= 1000);
}

TEST_CASE("a zoom eases, ends, and keeps the point under the cursor in place") {
    Camera camera = make_camera();
    const double anchor = 321.5;
    const double held = time_at(camera.view(), anchor);
    double last = camera.view().span;
    for (int tick = 0; tick < 30; ++tick) {
        camera.zoom(0.7, anchor);
        for (int frame = 0; frame < 3; ++frame) {
            camera.step(1.0 / 60);
            CHECK(camera.view().span < last);
            last = camera.view().span;
            const double moved = time_at(camera.view(), anchor) - held;
            CHECK(std::abs(moved) / camera.view().nanos_per_px() < 0.01);
        }
    }
    CHECK(settle(camera) < 0.5);
    CHECK(camera.view() == camera.target());
}

TEST_CASE("a move of a few hundred pixels ends after about a tenth of a second") {
    Camera camera = make_camera();
    camera.zoom(0.01, 500);
    settle(camera);
    camera.pan(300);
    double seconds = 0;
    while (std::abs(time_at(camera.view(), 0) - time_at(camera.target(), 0)) /
               camera.view().nanos_per_px() >
           15) {
        camera.step(1.0 / 240);
        seconds += 1.0 / 240;
    }
    CHECK(seconds == doctest::Approx(0.1).epsilon(0.1));
    CHECK(settle(camera) < 0.25);
}

TEST_CASE("the distance that a held key moves does not depend on the frame rate") {
    const auto fly = [](double frame, bool fast) {
        Camera camera = make_camera();
        camera.zoom(0.001, 500);
        settle(camera);
        camera.hold({1, 0, fast, 500});
        for (int i = 0; i < std::lround(0.5 / frame); ++i) camera.step(frame);
        camera.hold({});
        settle(camera, frame);
        return camera.view();
    };
    const Viewport slow_machine = fly(1.0 / 20, false);
    const Viewport fast_machine = fly(1.0 / 200, false);
    CHECK(std::abs(slow_machine.px_of(fast_machine.start)) < 1);
    CHECK(fly(1.0 / 60, true).start - fly(1.0 / 60, false).start > 0);
}

TEST_CASE("held keys zoom at the cursor, speed up with Shift and come to rest") {
    Camera camera = make_camera();
    const double held = time_at(camera.view(), 700);
    camera.hold({0, 1, false, 700});
    for (int i = 0; i < 30; ++i) REQUIRE(camera.step(1.0 / 60));
    const double slow = camera.view().span;
    CHECK(slow < 0.4e9);
    CHECK(std::abs(time_at(camera.view(), 700) - held) / camera.view().nanos_per_px() < 0.01);
    camera.hold({});
    CHECK(settle(camera) < 0.5);
    CHECK_FALSE(camera.moving());

    Camera fast = make_camera();
    fast.hold({0, 1, true, 700});
    for (int i = 0; i < 30; ++i) fast.step(1.0 / 60);
    CHECK(fast.view().span < slow / 3);
}

TEST_CASE("with animations off, everything takes effect at once") {
    Camera camera = make_camera();
    camera.set_motion(false);
    camera.zoom(0.25, 100);
    CHECK_FALSE(camera.moving());
    CHECK(camera.view().span == doctest::Approx(1e9 / 0.9 * 0.25));
    camera.frame({kContent.begin + 1000, kContent.begin + 2000});
    CHECK(camera.view().px_of(kContent.begin + 1000) == doctest::Approx(50));
}

TEST_CASE("framing reaches a range at any distance exactly") {
    Camera camera = make_camera();
    const TimeRange range{kContent.begin + 123'456'789, kContent.begin + 123'457'789};
    camera.frame(range);
    double last = camera.view().span;
    double seconds = 0;
    while (camera.step(1.0 / 60)) {
        seconds += 1.0 / 60;
        CHECK(camera.view().span <= last);
        last = camera.view().span;
    }
    CHECK(seconds < 0.6);
    CHECK(camera.view().px_of(range.begin) == doctest::Approx(50));
    CHECK(camera.view().px_of(range.end) == doctest::Approx(950));
}

TEST_CASE("no input leads outside the content") {
    Camera camera = make_camera();
    std::mt19937 random(9);
    for (int i = 0; i < 3000; ++i) {
        const double px = random() % 1000;
        switch (random() % 5) {
            case 0:
                camera.zoom(random() % 2 == 0 ? 0.3 : 4, px);
                break;
            case 1:
                camera.pan(px * 8 - 4000);
                break;
            case 2:
                camera.drag(px * 4 - 2000);
                break;
            case 3:
                camera.hold({static_cast<int>(random() % 3) - 1, static_cast<int>(random() % 3) - 1,
                             random() % 2 == 0, px});
                break;
            default:
                camera.go_to(camera.view());
        }
        camera.step(1.0 / (10 + random() % 100));
        const Viewport& view = camera.view();
        REQUIRE(view.span >= kShortestSpan * 0.999);
        REQUIRE(view.span <= 1e9 / 0.9 * 1.001);
        REQUIRE(view.px_of(kContent.begin) < view.width);
        REQUIRE(view.px_of(kContent.end) > 0);
    }
}
