#include "core/view/pick.h"

#include <doctest/doctest.h>

#include "tests/core/trace_maker.h"

using namespace lanescope;

namespace {

struct PickScene {
    TracePtr trace;
    ViewIndexPtr index;
    LaneLayout layout;

    explicit PickScene(TraceMaker& maker)
        : trace(maker.finish()),
          index(build_view_index(trace)),
          layout(build_layout(*trace, {}, {})) {}
    double y_of(uint32_t row) const { return layout.rows[row].y + layout.rows[row].height / 2; }
    Hit pick_at(const Viewport& view, double x, double y) const {
        return pick(*index, layout, view, x, y, {});
    }
};

}  // namespace

TEST_CASE("picking finds a slice, its child, a gap, and a slice just missed") {
    TraceMaker maker;
    maker.process("1", "python");
    const LaneId lane = maker.lane({{{0, 1000}, {100, 300}, {2000, 100}}});
    const PickScene scene(maker);
    const Viewport view{0, 0, 4000, 1000};  // 4 ns a pixel
    const Hit outer = scene.pick_at(view, 10, scene.y_of(1));
    CHECK(outer.kind == HitKind::slice);
    CHECK(outer.slice == SliceRef{lane, 0});
    CHECK(outer.time == 40);
    CHECK(outer.row == 1);
    CHECK(scene.pick_at(view, 50, scene.y_of(2)).slice == SliceRef{lane, 2});
    CHECK(scene.pick_at(view, 400, scene.y_of(1)).kind == HitKind::nothing);
    CHECK(scene.pick_at(view, 251.5, scene.y_of(1)).slice == SliceRef{lane, 0});
    CHECK(scene.pick_at(view, 253, scene.y_of(1)).kind == HitKind::nothing);
    CHECK(scene.pick_at(view, 498.5, scene.y_of(1)).slice == SliceRef{lane, 1});
}

TEST_CASE("a run has a count and its longest slice") {
    TraceMaker maker;
    maker.process("1", "python");
    const LaneId lane = maker.lane({{{4000, 10}, {4020, 30}, {4060, 10}, {9000, 1}}});
    const PickScene scene(maker);
    const Viewport view{0, 0, 100'000, 1000};  // 100 ns a pixel
    const Hit run = scene.pick_at(view, 40.5, scene.y_of(1));
    CHECK(run.kind == HitKind::run);
    CHECK(run.count == 3);
    CHECK(run.slice == SliceRef{lane, 1});
    const Hit lone = scene.pick_at(view, 90.5, scene.y_of(1));
    CHECK(lone.kind == HitKind::slice);
    CHECK(lone.slice == SliceRef{lane, 3});
}

TEST_CASE("picking distinguishes headings, counters, the space between rows, and outside") {
    TraceMaker maker;
    maker.process("1", "python");
    maker.lane({{{0, 1000}}});
    maker.counter({100, 200, 300}, {1, 5, 2});
    const PickScene scene(maker);
    const Viewport view{0, 0, 1000, 1000};
    const Hit head = scene.pick_at(view, 10, scene.y_of(0));
    CHECK(head.kind == HitKind::group_head);
    CHECK(head.group == 0);
    const Hit before = scene.pick_at(view, 50, scene.y_of(2));
    CHECK(before.kind == HitKind::nothing);
    CHECK(before.lane == 1);
    const Hit counter = scene.pick_at(view, 250, scene.y_of(2));
    CHECK(counter.kind == HitKind::counter);
    CHECK(counter.value == 5);
    const Hit between = scene.pick_at(view, 10, scene.layout.lanes[0].y + 1);
    CHECK(between.kind == HitKind::nothing);
    CHECK(between.row == LaneLayout::none);
    CHECK(between.lane == 0);
    CHECK(scene.pick_at(view, 10, -5).lane == LaneLayout::none);
    CHECK(scene.pick_at(view, 10, scene.layout.height + 5).lane == LaneLayout::none);
}

TEST_CASE("a slice is picked at its own place") {
    TraceMaker maker;
    maker.process("1", "python");
    const LaneId lane = maker.lane({{{0, 1000}, {100, 300}}, {{2000, 500}, {2100, 200}}});
    const PickScene scene(maker);
    const Viewport view{0, 0, 4000, 1000};
    for (uint32_t i = 0; i < 4; ++i) {
        const SlicePlace place = place_of(*scene.trace, scene.layout, view, {lane, i});
        REQUIRE(place.row != LaneLayout::none);
        const Hit hit = scene.pick_at(view, (place.x0 + place.x1) / 2, scene.y_of(place.row));
        if (i == 0 || i == 2) continue;  // their middle is determined by the row alone
        CHECK(hit.slice == SliceRef{lane, i});
    }
}
