#include "core/view/shown_lanes.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "core/ingest/load.h"
#include "core/trace/python_frames.h"
#include "core/view/cull.h"
#include "core/view/pick.h"
#include "tests/core/trace_maker.h"

using namespace lanescope;

namespace {

bool is_shown(const Trace& trace, LaneFilter filter, SliceRef slice) {
    if (filter.hide_short && trace.duration(slice) < 1000) return false;
    const EventClass kind = trace.event_class(slice);
    if (filter.python == PythonShown::none && kind == EventClass::module) return false;
    if (filter.python == PythonShown::own && kind == EventClass::python)
        return is_own_python_frame(trace.name(slice));
    return filter.python == PythonShown::all || kind != EventClass::python;
}

constexpr LaneFilter kFilters[] = {{PythonShown::modules, false},
                                   {PythonShown::none, false},
                                   {PythonShown::all, true},
                                   {PythonShown::own, false},
                                   {PythonShown::none, true}};

}  // namespace

TEST_CASE("where everything is shown, nothing is computed") {
    TraceMaker maker;
    maker.process("1", "python");
    maker.lane({{{0, 10}}});
    CHECK(!filter_lanes(*maker.finish(), {}));
}

TEST_CASE("a filter that shows a slice hides what it can of the others") {
    const auto loaded = load_trace(LANESCOPE_ROOT "/assets/samples/synthetic_step.json.gz");
    REQUIRE(loaded);
    const Trace& trace = **loaded;
    std::size_t changed = 0;
    for (const LaneFilter filter : kFilters)
        for (LaneId lane = 0; lane < trace.lanes.size(); ++lane)
            for (uint32_t i = 0; i < trace.lanes[lane].slice_count; ++i) {
                const SliceRef slice{lane, i};
                const LaneFilter wider = filter_that_shows(filter, trace, slice);
                CHECK(is_shown(trace, wider, slice));
                CHECK((wider == filter) == is_shown(trace, filter, slice));
                changed += wider != filter;
            }
    CHECK(changed > 0);
}

TEST_CASE("the remaining slices close up, and lead to the trace's slices") {
    const auto loaded = load_trace(LANESCOPE_ROOT "/assets/samples/synthetic_step.json.gz");
    REQUIRE(loaded);
    const Trace& trace = **loaded;
    for (const LaneFilter filter : kFilters) {
        const ShownLanesPtr shown = filter_lanes(trace, filter);
        REQUIRE(shown);
        std::size_t hidden = 0;
        for (LaneId id = 0; id < trace.lanes.size(); ++id) {
            const Lane& lane = shown_lane(trace, shown, id);
            uint32_t expected = 0;
            for (uint32_t i = 0; i < trace.lanes[id].slice_count; ++i) {
                const SliceRef slice{id, i};
                const uint32_t depth = shown_depth(trace, shown, slice);
                CHECK((depth != ShownLane::hidden) == is_shown(trace, filter, slice));
                if (depth == ShownLane::hidden) {
                    ++hidden;
                    continue;
                }
                ++expected;
                CHECK(depth < lane.depth_count);
                if (!shown->lanes[id]) continue;
                const uint32_t at = shown->lanes[id]->from_trace[i];
                CHECK(shown->lanes[id]->to_trace[at] == i);
                const auto [chunk, local] = lane.locate(at);
                CHECK(chunk->start[local] == trace.start(slice));
                CHECK(chunk->duration[local] == trace.duration(slice));
                CHECK(chunk->name[local] == trace.name_id(slice));
                CHECK(chunk->depth(local) == depth);
            }
            CHECK(lane.slice_count == expected);
        }
        CHECK(hidden > 0);
    }
}

TEST_CASE("depths count only the shown slices around a slice") {
    TraceMaker maker;
    maker.process("1", "python");
    maker.lane({{{0, 9000, "train.py(1): main", "python_function"},
                 {1000, 7000, "nn.Module: Linear_0", "python_function"},
                 {2000, 5000, "aten::linear"},
                 {3000, 500, "aten::t"},
                 {3100, 100, "aten::transpose"}}});
    const TracePtr trace = maker.finish();
    const auto depth = [&](LaneFilter filter, uint32_t index) {
        return shown_depth(*trace, filter_lanes(*trace, filter), {0, index});
    };
    CHECK(depth({}, 2) == 2);
    CHECK(depth({PythonShown::modules, false}, 1) == 0);
    CHECK(depth({PythonShown::modules, false}, 2) == 1);
    CHECK(depth({PythonShown::own, false}, 2) == 2);
    CHECK(depth({PythonShown::none, false}, 2) == 0);
    CHECK(depth({PythonShown::none, false}, 4) == 2);
    CHECK(depth({PythonShown::none, true}, 3) == ShownLane::hidden);
    CHECK(depth({PythonShown::none, true}, 2) == 0);
}

TEST_CASE("culling and picking return the trace's slices, whatever is hidden") {
    const auto loaded = load_trace(LANESCOPE_ROOT "/assets/samples/synthetic_step.json.gz");
    REQUIRE(loaded);
    for (const LaneFilter filter : kFilters) {
        const ViewIndexPtr index = build_view_index(*loaded, filter);
        const Trace& trace = *index->trace;
        const LaneLayout layout = build_layout(trace, {}, {}, index->shown);
        const Palette palette = build_palette(Theme::dark);
        Viewport view;
        view.width = 1000;
        view = framed(view, trace.content, 0);
        Culler culler;
        const DrawItems& items =
            culler.cull({index, layout, palette, view, 0, layout.height, CullOptions{}});
        std::size_t seen = 0;
        for (const RowItems& row : items.rows) {
            const LayoutRow& place = layout.rows[row.row];
            for (uint32_t i = row.rect_begin; i < row.rect_end; ++i) {
                const SliceRef slice{row.lane, items.rects[i].slice};
                CHECK(is_shown(trace, filter, slice));
                CHECK(trace.name_id(slice) == items.rects[i].name);
                CHECK(place_of(trace, layout, view, slice).row == row.row);
                const double x = std::clamp(
                    (view.px_of(trace.start(slice)) + view.px_of(trace.slice_end(slice))) / 2, 0.0,
                    999.0);
                const Hit hit = pick(*index, layout, view, x, place.y + 1, CullOptions{});
                CHECK(hit.slice == slice);
                ++seen;
            }
            for (uint32_t i = row.run_begin; i < row.run_end; ++i)
                CHECK(is_shown(trace, filter, {row.lane, items.runs[i].longest}));
        }
        CHECK(seen > 20);
    }
}
