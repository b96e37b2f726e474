// Culling of curves and instants.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <map>
#include <random>

#include "core/view/cull.h"
#include "core/view/pick.h"
#include "tests/core/trace_maker.h"

using namespace lanescope;

namespace {

// A trace with one lane of marks, and everything that culling needs.
struct MarkScene {
    explicit MarkScene(const TracePtr& trace)
        : index(build_view_index(trace)), layout(build_layout(*trace, {}, {})) {}
    const DrawItems& cull(const Viewport& view) {
        return culler.cull({index, layout, palette, view, 0, layout.height, options});
    }

    ViewIndexPtr index;
    LaneLayout layout;
    Palette palette = build_palette(Theme::dark);
    CullOptions options;
    Culler culler;
};

const RowItems& row_of_marks(const DrawItems& items) {
    REQUIRE(items.rows.size() == 1);
    return items.rows.front();
}

}  // namespace

TEST_CASE("curves keep every peak, for each pixel column") {
    std::mt19937_64 random(27);
    for (const std::size_t count : {std::size_t{50}, std::size_t{100'000}}) {
        std::vector<Nanos> time;
        std::vector<double> value;
        Nanos t = 1000;
        for (std::size_t i = 0; i < count; ++i) {
            t += static_cast<Nanos>(random() % 1000);
            time.push_back(t);
            value.push_back(static_cast<double>(random() % 1000) - 200);
        }
        value[count / 2] = 5000;
        value[count / 3] = std::nan("");
        TraceMaker maker;
        maker.process("1", "python");
        maker.counter(time, value);
        MarkScene scene(maker.finish());
        for (const double part : {1.0, 0.1, 0.01}) {
            Viewport view = framed({0, 0, 1, 640}, {time.front(), t});
            view = zoomed(view, part, 300);
            const DrawItems& items = scene.cull(view);
            const RowItems& row = row_of_marks(items);
            CHECK(row.value_max == 5000);
            const auto level = [&](double v) {
                return (v - row.value_min) / (row.value_max - row.value_min);
            };
            std::map<int, std::array<double, 3>> truth;  // min, max, last
            double before = std::nan("");
            for (std::size_t i = 0; i < count; ++i) {
                const double x = view.px_of(time[i]);
                if (x < 0) before = value[i];
                if (x < 0 || x >= view.width || !std::isfinite(value[i])) continue;
                const double v = level(value[i]);
                auto& at =
                    truth.try_emplace(static_cast<int>(x), std::array{v, v, v}).first->second;
                at = {std::min(at[0], v), std::max(at[1], v), v};
            }
            std::size_t next = 0;
            if (!std::isnan(before)) {
                REQUIRE(items.points[next].x == 0);
                REQUIRE(items.points[next++].last == doctest::Approx(level(before)));
            }
            for (const auto& [column, values] : truth) {
                REQUIRE(next < items.points.size());
                const CurvePoint& point = items.points[next++];
                REQUIRE(std::abs(static_cast<double>(point.x) - column - 0.5) < 0.501);
                REQUIRE(point.min == doctest::Approx(values[0]).epsilon(1e-4));
                REQUIRE(point.max == doctest::Approx(values[1]).epsilon(1e-4));
                REQUIRE(point.last == doctest::Approx(values[2]).epsilon(1e-4));
            }
            REQUIRE(next == items.points.size());
        }
    }
}

TEST_CASE("instants give one tick for each pixel column, and none is lost") {
    std::mt19937_64 random(28);
    std::vector<Nanos> time;
    Nanos t = 0;
    for (int i = 0; i < 20'000; ++i) time.push_back(t += static_cast<Nanos>(random() % 50));
    TraceMaker maker;
    maker.process("1", "python");
    maker.instants(time);
    MarkScene scene(maker.finish());
    for (const double part : {1.0, 0.05, 0.0005}) {
        const Viewport view = zoomed(framed({0, 0, 1, 640}, {0, t}), part, 300);
        const DrawItems& items = scene.cull(view);
        std::map<int, uint32_t> truth;
        for (const Nanos at : time) {
            const double x = view.px_of(at);
            if (x >= 0 && x < view.width) ++truth[static_cast<int>(x)];
        }
        REQUIRE(items.ticks.size() == truth.size());
        std::size_t next = 0;
        for (const auto& [column, count] : truth) {
            const TickItem& tick = items.ticks[next++];
            REQUIRE(std::abs(static_cast<double>(tick.x) - column - 0.5) < 0.501);
            REQUIRE(tick.count == count);
            const Hit hit = pick(*scene.index, scene.layout, view, tick.x,
                                 scene.layout.rows[items.rows[0].row].y + 1, scene.options);
            REQUIRE(hit.kind == HitKind::instant);
            REQUIRE(hit.count == count);
            REQUIRE(hit.instant == tick.first);
        }
    }
}
