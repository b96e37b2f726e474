#include "core/view/ruler.h"

#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <set>

using namespace lanescope;

namespace {

bool is_round(Nanos step) {
    while (step % 10 == 0) step /= 10;
    return step == 1 || step == 2 || step == 5;
}

}  // namespace

TEST_CASE("ticks are round, dense enough, not too dense, and all labels differ") {
    constexpr Nanos origin = 1'700'000'000'000'000'123;
    std::mt19937_64 random(31);
    std::uniform_real_distribution<double> unit(0, 1);
    std::vector<RulerTick> ticks;
    for (int round = 0; round < 500; ++round) {
        const Viewport view{origin + static_cast<Nanos>(random() % 10'000'000'000) - 1'000'000,
                            unit(random), std::pow(10, 1.4 + 10 * unit(random)), 1404};
        const RulerScale scale = ruler_scale(view, origin);
        REQUIRE(is_round(scale.major));
        REQUIRE(is_round(scale.minor));
        REQUIRE(scale.major % scale.minor == 0);
        const double major_px = static_cast<double>(scale.major) / view.nanos_per_px();
        CHECK(major_px >= 90);
        CHECK((major_px <= 226 || scale.major == 1));
        if (scale.minor != scale.major)
            CHECK(static_cast<double>(scale.minor) / view.nanos_per_px() >= 8);

        place_ticks(view, origin, scale, ticks);
        std::set<std::string> labels;
        std::size_t majors = 0;
        for (std::size_t i = 0; i < ticks.size(); ++i) {
            if (i > 0 && ticks[i - 1].x >= 0)
                CHECK(ticks[i].time - ticks[i - 1].time == scale.minor);
            CHECK(ticks[i].x == doctest::Approx(view.px_of(ticks[i].time)));
            CHECK(ticks[i].major == ((ticks[i].time - origin) % scale.major == 0));
            if (!ticks[i].major) continue;
            ++majors;
            labels.insert(tick_label(ticks[i].time, origin, scale));
        }
        CHECK(labels.size() == majors);
        CHECK(ticks.back().x > view.width - major_px);
        CHECK(ticks.front().major);
        CHECK(ticks.front().x <= 0);
    }
}

TEST_CASE("labels are formatted as the design shows") {
    const Viewport view{2'351'000, 0, 465'000, 1016};
    const RulerScale scale = ruler_scale(view, 0);
    CHECK(scale.major == 50'000);
    CHECK(scale.minor == 5'000);
    CHECK(tick_label(2'400'000, 0, scale) == "2.40 ms");
    CHECK(tick_label(2'450'000, 0, scale) == "2.45 ms");
    CHECK(cursor_label(2'611'643, 0, view) == "2.61164 ms");
    CHECK(cursor_label(2'611'643, 0, {0, 0, 100, 1000}) == "2.611643 ms");
    CHECK(cursor_label(2'611'643, 0, {0, 0, 4e9, 1000}) == "2.6 ms");
}
