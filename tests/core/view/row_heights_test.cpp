#include "core/view/row_heights.h"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/core/trace_maker.h"

namespace lanescope {
namespace {

TracePtr deep_lane_and_stream() {
    TraceMaker maker;
    maker.process("1", "python");
    maker.lane({{{0, 1000}, {100, 300}, {150, 50}, {160, 5}}});
    maker.process("0", "python", true);
    maker.lane({{{0, 10}, {20, 10}}}, LaneKind::stream);
    return maker.finish();
}

double height_of(const Trace& trace, const LaneArrangement& arrangement, const Measures& measures) {
    return build_layout(trace, arrangement, measures).height +
           build_pinned_layout(trace, arrangement, measures).height;
}

TEST_CASE("rows grow into the room that the lanes leave, up to a limit") {
    const TracePtr trace = deep_lane_and_stream();
    for (const bool pinned : {false, true}) {
        LaneArrangement arrangement;
        if (pinned) arrangement.pinned = {1};
        const Measures usual;
        const double used = height_of(*trace, arrangement, usual);
        CHECK(stretched(usual, *trace, arrangement, nullptr, used).slice_row == usual.slice_row);
        CHECK(stretched(usual, *trace, arrangement, nullptr, 10).slice_row == usual.slice_row);
        double before = usual.slice_row;
        for (double room = used; room < 3 * used; room += 7) {
            const Measures more = stretched(usual, *trace, arrangement, nullptr, room);
            CHECK(more.slice_row >= before);
            CHECK(height_of(*trace, arrangement, more) <= room);
            before = more.slice_row;
        }
        CHECK(before == std::floor(usual.slice_row * kMostStretch));
        const Measures most = stretched(usual, *trace, arrangement, nullptr, 1e9);
        CHECK(most.group_head == usual.group_head);
        CHECK(most.lane_head == usual.lane_head);
    }
}

TEST_CASE("without lanes there is nothing to stretch") {
    TraceMaker maker;
    const TracePtr trace = maker.finish();
    CHECK(stretched({}, *trace, {}, nullptr, 1000).slice_row == Measures{}.slice_row);
}

}  // namespace
}  // namespace lanescope
