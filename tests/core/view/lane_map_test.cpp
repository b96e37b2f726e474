#include "core/view/lane_map.h"

#include <doctest/doctest.h>

#include "tests/core/trace_maker.h"

using namespace lanescope;

namespace {

struct Scene {
    TracePtr trace;
    ViewIndexPtr index;
    LaneLayout layout;
    TimeRange content;

    explicit Scene(TracePtr scene_trace, TimeRange all)
        : trace(std::move(scene_trace)), content(all) {
        index = build_view_index(trace);
        layout = build_layout(*trace, {}, {});
    }
    LaneMap map() const { return build_lane_map(*index, layout, content); }
};

}  // namespace

TEST_CASE("the lane map shows how busy each row is, and with which kind of work") {
    TraceMaker maker;
    maker.process("1", "python");
    // One call takes half of the time; inside it, a kernel's colour takes a tenth of the total,
    // others less.
    maker.lane({{{0, 500, "outer", "cpu_op"},
                 {100, 100, "inner", "kernel"},
                 {300, 50, "inner", "cpu_op"}}});
    maker.lane({{{900, 400, "beyond", "cuda_runtime"}}});
    maker.counter({0, 10}, {1, 2});
    const Scene scene(maker.finish(), {0, 1000});
    const LaneMap map = scene.map();
    REQUIRE(map.rows.size() == 3);
    CHECK(map.rows[0].busy == doctest::Approx(0.5));
    CHECK(map.rows[0].slot == static_cast<Slot>(classify_category("cpu_op")));
    CHECK(map.rows[1].busy == doctest::Approx(0.15));
    CHECK(map.rows[1].slot == static_cast<Slot>(classify_category("kernel")));
    // Slices that extend beyond the content count only within it.
    CHECK(map.rows[2].busy == doctest::Approx(0.1));
}

TEST_CASE("in the map, slices without a duration, or before the content, make no row busy") {
    TraceMaker maker;
    maker.process("1", "python");
    maker.lane({{{10, 0, "first"}, {20, 0, "second"}, {30, 0, "third"}}});
    maker.lane({{{-50, 20, "before"}, {-20, 10, "before"}, {0, 10, "inside"}}});
    const LaneMap map = Scene(maker.finish(), {0, 1000}).map();
    REQUIRE(map.rows.size() == 2);
    CHECK(map.rows[0].busy == 0);
    CHECK(map.rows[1].busy == doctest::Approx(0.01));
}

TEST_CASE("in the map, rows with levels of detail are as busy as their slices are long") {
    std::mt19937_64 random(77);
    for (const Spread spread : {Spread::even, Spread::bursts, Spread::heavy}) {
        CAPTURE(static_cast<int>(spread));
        const auto row = random_row(random, 50'000, spread, 0);
        Nanos sum = 0;
        for (const TestSlice& slice : row) sum += slice.duration;
        TraceMaker maker;
        maker.process("1", "python");
        maker.lane({row});
        const Nanos end = row.back().start + row.back().duration;
        const Scene scene(maker.finish(), {0, end});
        const double busy = static_cast<double>(sum) / static_cast<double>(end);
        CHECK(scene.map().rows.at(0).busy == doctest::Approx(busy).epsilon(0.03));
    }
}

TEST_CASE("bars of the lane map are ordered, apart, and at most one for each line") {
    TraceMaker maker;
    maker.process("1", "python");
    for (int lane = 0; lane < 300; ++lane)
        maker.lane({{{0, lane == 150 ? 990 : 1 + lane, "call", "cpu_op"}}});
    const Scene scene(maker.finish(), {0, 1000});
    const LaneMap map = scene.map();
    for (const uint32_t height : {1U, 40U, 700U, 20'000U}) {
        CAPTURE(height);
        const auto bars = lane_map_bars(map, scene.layout, height);
        REQUIRE(!bars.empty());
        CHECK(bars.size() <= std::min<std::size_t>(height, map.rows.size()));
        uint32_t end = 0;
        float busiest = 0;
        for (const LaneMapBar& bar : bars) {
            CHECK(bar.y0 >= end);
            CHECK(bar.y1 > bar.y0);
            end = bar.y1;
            busiest = std::max(busiest, bar.busy);
        }
        CHECK(end <= height);
        CHECK(busiest == doctest::Approx(0.99));
    }
    CHECK(lane_map_bars(map, scene.layout, 20'000).size() == 300);
}

TEST_CASE("a place of the lane map moves to the middle, as far as there are lanes") {
    TraceMaker maker;
    maker.process("1", "python");
    for (int lane = 0; lane < 50; ++lane) maker.lane({{{0, 10, "call", "cpu_op"}}});
    const Scene scene(maker.finish(), {0, 10});
    const double all = scene.layout.height;
    REQUIRE(all > 1000);
    CHECK(lane_map_scroll(scene.layout, 500, 250, 600) == doctest::Approx(all / 2 - 300));
    CHECK(lane_map_scroll(scene.layout, 500, 0, 600) == 0);
    CHECK(lane_map_scroll(scene.layout, 500, 499, 600) == doctest::Approx(all - 600));
    CHECK(lane_map_scroll(scene.layout, 500, 250, all + 1) == 0);
}

TEST_CASE("slices with their own colours have them in the lane map too") {
    for (const bool part : {false, true}) {
        CAPTURE(part);
        std::mt19937_64 random(5);
        TraceMaker maker;
        maker.process("1", "python");
        const auto row = random_row(random, 30'000, part ? Spread::heavy : Spread::even, 0);
        const auto middle = row.begin() + 10'000;
        maker.lane({{row.begin(), middle}, {middle, row.end()}});
        const Nanos end = row.back().start + row.back().duration;
        maker.trace().content = {0, end};
        const TracePtr trace = maker.finish();
        const ViewIndexPtr by_table = build_view_index(trace, LaneFilter{.hide_short = part});
        SliceClasses own;
        own.table = table_of_one(*trace);
        Column<Slot>& slots = slots_of_lane(own, *trace, 0);
        for (uint32_t i = 0; i < slots.size(); ++i) slots[i] = i < 8'000 ? 5 : 6;
        const ViewIndexPtr index =
            with_classes(*by_table, std::make_shared<const SliceClasses>(std::move(own)));
        const LaneLayout layout = build_layout(*trace, {}, {}, index->shown);
        CHECK(build_lane_map(*index, layout, {0, end}).rows.at(0).slot == 6);
        const Nanos early = row[8'000].start;
        CHECK(build_lane_map(*index, layout, {0, early}).rows.at(0).slot == 5);
    }
}
