#include "core/view/viewport.h"

#include <doctest/doctest.h>

#include <cmath>
#include <random>

using namespace lanescope;

namespace {

constexpr Nanos kEpoch = 1'700'000'000'123'456'789;  // as absolute stamps are

// The time at a pixel, in nanoseconds from `kEpoch`.
double offset_at(const Viewport& view, double px) {
    return static_cast<double>(view.start - kEpoch) + view.fraction + px * view.nanos_per_px();
}

}  // namespace

TEST_CASE("pixels and times convert back and forth") {
    const Viewport view{kEpoch, 0.25, 3.7e6, 1600};
    for (double px = -10; px < 1700; px += 3.3) {
        const Nanos t = view.time_at(px);
        CHECK(view.px_of(t) <= px + 1e-6);
        CHECK(view.px_of(t + 1) > px - 1e-6);
    }
    CHECK(view.px_of(view.range().begin) <= 0);
    CHECK(view.px_of(view.range().end) >= view.width);
}

TEST_CASE("a zoom keeps the time under the cursor, to far below a pixel, at any scale and epoch") {
    std::mt19937_64 random(5);
    std::uniform_real_distribution<double> unit(0, 1);
    for (int round = 0; round < 2000; ++round) {
        const Viewport view{kEpoch + static_cast<Nanos>(random() % 1'000'000'000), unit(random),
                            std::pow(10, 1.5 + 10 * unit(random)), 300 + 3000 * unit(random)};
        const double anchor = unit(random) * view.width;
        const double factor = std::pow(10, 4 * unit(random) - 2);
        const Viewport after = zoomed(view, factor, anchor);
        CHECK(after.span == doctest::Approx(view.span * factor));
        CHECK((after.fraction >= 0 && after.fraction < 1));
        const double moved = offset_at(after, anchor) - offset_at(view, anchor);
        CHECK(std::abs(moved) / std::min(view.nanos_per_px(), after.nanos_per_px()) < 1e-3);
    }
}

TEST_CASE("panning moves by pixels and can be reversed") {
    const Viewport view{kEpoch, 0.5, 1e5, 1000};
    const Viewport moved = panned(view, 123.25);
    CHECK(offset_at(moved, 0) - offset_at(view, 0) == doctest::Approx(12325));
    CHECK(nearly_same(panned(moved, -123.25), view));
    CHECK_FALSE(nearly_same(moved, view));
}

TEST_CASE("framing leaves a margin on each side") {
    const Viewport view = framed({0, 0, 1, 1000}, {kEpoch, kEpoch + 900'000}, 0.05);
    CHECK(view.px_of(kEpoch) == doctest::Approx(50));
    CHECK(view.px_of(kEpoch + 900'000) == doctest::Approx(950));
    const Viewport point = framed({0, 0, 1, 1000}, {kEpoch, kEpoch});
    CHECK(point.span == kShortestSpan);
    CHECK(point.px_of(kEpoch) == doctest::Approx(500));
}

TEST_CASE("a clamped view shows content and is stable") {
    const TimeRange content{kEpoch, kEpoch + 1'000'000};
    std::mt19937_64 random(6);
    std::uniform_real_distribution<double> unit(-1, 1);
    for (int round = 0; round < 2000; ++round) {
        Viewport view{kEpoch, 0, std::pow(10, 5 + 6 * unit(random)), 1000};
        view = panned(view, 2000 * unit(random));
        const Viewport once = clamped(view, content);
        CHECK(once.span >= kShortestSpan);
        CHECK(once.span <= 1'000'000 / 0.9 + 1);
        CHECK(once.px_of(content.begin) < 51);
        CHECK(once.px_of(content.end) > 949);
        CHECK(nearly_same(clamped(once, content), once));
    }
    const Viewport inside{kEpoch + 1000, 0.5, 5000, 1000};
    CHECK(clamped(inside, content) == inside);
}
