#include "core/view/view_rows.h"

#include <doctest/doctest.h>

#include "core/trace/query.h"
#include "core/view/lane_layout.h"
#include "core/view/pick.h"
#include "tests/core/real_traces.h"
#include "tests/core/trace_maker.h"

using namespace lanescope;

namespace {

// Lane 0: five calls in each other, the innermost of which makes two calls; later, one call alone.
// Lane 1: two calls in each other.
TracePtr chain() {
    TraceMaker maker;
    maker.process("1", "python");
    maker.lane({{{0, 1000},
                 {10, 980},
                 {20, 960},
                 {30, 940},
                 {40, 920},
                 {100, 100},
                 {300, 600},
                 {310, 10},
                 {2000, 50}}});
    maker.lane({{{0, 1000}, {400, 100}}});
    maker.trace().content = {0, 2050};
    return maker.finish();
}

// The deepest depth of the lane with a slice in the range, by looking at every slice.
uint32_t deepest(const Lane& lane, TimeRange range) {
    uint32_t depths = 1;
    for (const auto& chunk : lane.chunks)
        for (uint32_t i = 0; i < chunk->size(); ++i)
            if (chunk->start[i] < range.end && chunk->end(i) > range.begin)
                depths = std::max(depths, chunk->depth(i) + 1);
    return depths;
}

}  // namespace

TEST_CASE("outer calls that cover the view have one row, the innermost of them its own") {
    const TracePtr trace = chain();
    const ViewRows rows = rows_for(*trace, nullptr, {100, 900}, {});
    CHECK(rows.lanes[0] == LaneRows{.outer = 4, .depths = 7});
    CHECK(rows.lanes[1] == LaneRows{.outer = 0, .depths = 2});
    CHECK(rows_for(*trace, nullptr, {20, 980}, {}).lanes[0].outer == 4);
    // Three calls cover 95 % of it, and one row would replace only two.
    CHECK(rows_for(*trace, nullptr, {0, 1000}, {}).lanes[0].outer == 0);
    // The outermost call has a neighbour in view.
    CHECK(rows_for(*trace, nullptr, {0, 2050}, {}).lanes[0].outer == 0);
}

TEST_CASE("rows end with the deepest call in view") {
    const TracePtr trace = chain();
    CHECK(rows_for(*trace, nullptr, {40, 90}, {}).lanes[0].depths == 6);    // before its first call
    CHECK(rows_for(*trace, nullptr, {350, 360}, {}).lanes[0].depths == 7);  // after its only call
    CHECK(rows_for(*trace, nullptr, {120, 160}, {}).lanes[0].depths == 6);
    CHECK(rows_for(*trace, nullptr, {1500, 2050}, {}).lanes[0].depths == 1);
    CHECK(rows_for(*trace, nullptr, {1500, 1600}, {}).lanes[1].depths == 1);
    CHECK(rows_for(*trace, nullptr, {450, 460}, {}).lanes[1].depths == 2);
}

TEST_CASE("an outer call that is selected has its row") {
    const TracePtr trace = chain();
    const SliceRef third = slice_at(*trace, 0, 2, 500);
    const SliceRef innermost = slice_at(*trace, 0, 4, 500);
    CHECK(rows_for(*trace, nullptr, {100, 900}, third).lanes[0].outer == 0);
    CHECK(rows_for(*trace, nullptr, {100, 900}, innermost).lanes[0].outer == 4);
}

TEST_CASE("the layout has a row for the outer calls, and finds them in it") {
    const TracePtr trace = chain();
    const ViewRows rows = rows_for(*trace, nullptr, {100, 900}, {});
    const LaneLayout layout = build_layout(*trace, {}, {}, nullptr, rows);
    const uint32_t outer = layout.row_of(0, 0);
    REQUIRE(outer != LaneLayout::none);
    CHECK(layout.rows[outer].outer == 4);
    CHECK(layout.rows[outer].depth == 3);
    for (uint32_t depth = 1; depth < 4; ++depth) CHECK(layout.row_of(0, depth) == outer);
    CHECK(layout.row_of(0, 4) == outer + 1);
    CHECK(layout.row_of(0, 6) == outer + 3);
    CHECK(layout.row_of(0, 7) == LaneLayout::none);
    CHECK(layout.rows[layout.row_of(1, 1)].outer == 0);
    CHECK(layout.fingerprint != build_layout(*trace, {}, {}).fingerprint);
    // All rows that are shown are inside their lane, and a folded lane is not affected.
    LaneArrangement folded;
    folded.folded = {0};
    const LaneLayout closed = build_layout(*trace, folded, {}, nullptr, rows);
    CHECK(closed.rows[closed.row_of(0, 0)].outer == 0);
    CHECK(closed.row_of(0, 1) == LaneLayout::none);
}

TEST_CASE("the row of outer calls is the innermost of them to the pointer") {
    const TracePtr trace = chain();
    const ViewIndexPtr index = build_view_index(trace);
    const ViewRows rows = rows_for(*trace, nullptr, {100, 900}, {});
    const LaneLayout layout = build_layout(*trace, {}, {}, nullptr, rows);
    const Viewport view{.start = 100, .span = 800, .width = 800};
    const Hit hit = pick(*index, layout, view, 400, layout.rows[layout.row_of(0, 0)].y + 1, {});
    CHECK(hit.kind == HitKind::slice);
    CHECK(hit.outer == 4);
    CHECK(hit.slice == slice_at(*trace, 0, 3, 500));
}

TEST_CASE("rows of a moving view are those of both its ends") {
    const TracePtr trace = chain();
    const ViewRows from = rows_for(*trace, nullptr, {100, 900}, {});
    const ViewRows to = rows_for(*trace, nullptr, {120, 160}, {});
    const ViewRows both = union_of(from, to);
    CHECK(to.lanes[0].outer == 5);
    CHECK(both.lanes[0] == LaneRows{.outer = 4, .depths = 7});
    CHECK(union_of(from, rows_for(*trace, nullptr, {0, 2050}, {})).lanes[0].outer == 0);
    CHECK(union_of(from, {}).lanes.empty());
}

TEST_CASE("no row of a real trace with slices in view is left out") {
    for (const std::string& name : testing::torch_traces_and_samples()) {
        CAPTURE(name);
        const TracePtr loaded = testing::load_real_trace(name);
        REQUIRE(loaded);
        const Trace& trace = *loaded;
        const Nanos length = trace.content.length();
        for (int part = 0; part < 20; ++part) {
            const Nanos begin = trace.content.begin + length / 20 * part;
            const TimeRange range{begin, begin + std::max<Nanos>(length / 50, 1)};
            const ViewRows rows = rows_for(trace, nullptr, range, {});
            if (rows.lanes.empty()) continue;  // more rows than a frame can search
            for (LaneId lane = 0; lane < trace.lanes.size(); ++lane) {
                if (trace.lanes[lane].depth_count == 0) continue;
                const uint32_t least = deepest(trace.lanes[lane], range);
                CHECK(rows.lanes[lane].depths >= least);
                if (trace.lanes[lane].kind == LaneKind::thread)
                    CHECK(rows.lanes[lane].depths <= least + 1);
                CHECK(rows.lanes[lane].outer <= rows.lanes[lane].depths);
            }
        }
    }
}
