#include "core/view/lane_layout.h"

#include <doctest/doctest.h>

#include "tests/core/trace_maker.h"

using namespace lanescope;

namespace {

// Two processes and a GPU, with lanes of all kinds; one lane and one process are empty.
TracePtr three_processes() {
    TraceMaker maker;
    maker.process("19392", "python");
    maker.lane({{{0, 1000}, {100, 300}, {150, 50}}});  // 0: three deep
    maker.lane({});                                    // 1: empty
    maker.counter({0, 10}, {1, 2});                    // 2
    maker.instants({5, 6});                            // 3
    maker.process("empty", "nothing");
    maker.lane({});  // 4
    maker.process("0", "python", true);
    maker.lane({{{0, 10}, {20, 10}}}, LaneKind::stream);  // 5
    maker.process("77", "");
    maker.lane({{{0, 10}}}, LaneKind::async);  // 6
    maker.trace().devices.push_back({0, "NVIDIA H100 80GB HBM3", {}, {}});
    return maker.finish();
}

// Rows and boxes are in order without overlaps, and every y maps back to them.
void check_heights(const LaneLayout& layout) {
    double y = 0;
    for (uint32_t r = 0; r < layout.rows.size(); ++r) {
        const LayoutRow& row = layout.rows[r];
        REQUIRE(row.y >= y);
        if (row.height == 0) {  // the head of a folded GPU
            CHECK(row.kind == RowKind::group_head);
            CHECK(layout.groups[row.group].collapsed);
            y = row.y;
            continue;
        }
        if (row.y > y) CHECK(layout.row_at((y + row.y) / 2) == LaneLayout::none);
        y = row.y + row.height;
        CHECK(layout.row_at(row.y) == r);
        CHECK(layout.row_at(y - 0.01) == r);
        const bool empty_next = r + 1 < layout.rows.size() && layout.rows[r + 1].height == 0;
        CHECK(layout.first_row_below(y) == r + (empty_next ? 2 : 1));
        if (row.kind == RowKind::group_head) {
            CHECK(layout.groups[row.group].head_row == r);
            continue;
        }
        const LaneBox& lane = layout.lanes[row.lane];
        CHECK(lane.y <= row.y);
        CHECK(lane.y + lane.height >= y);
        CHECK(layout.lane_at(row.y) == row.lane);
        if (row.kind == RowKind::slices) CHECK(layout.row_of(lane.id, row.depth) == r);
    }
    REQUIRE(layout.height >= y);
    CHECK(layout.row_at(layout.height + 1) == LaneLayout::none);
    CHECK(layout.row_at(-1) == LaneLayout::none);
    for (std::size_t g = 1; g < layout.groups.size(); ++g)
        CHECK(layout.groups[g].y ==
              doctest::Approx(layout.groups[g - 1].y + layout.groups[g - 1].height));
}

}  // namespace

TEST_CASE("empty lanes take no room, all others have their rows") {
    const TracePtr trace = three_processes();
    const LaneLayout layout = build_layout(*trace, {}, {});
    check_heights(layout);
    REQUIRE(layout.groups.size() == 3);
    REQUIRE(layout.lanes.size() == 5);
    REQUIRE(layout.rows.size() == 3 + 3 + 1 + 1 + 1 + 1);
    CHECK(layout.row_of(1, 0) == LaneLayout::none);
    CHECK(layout.row_of(0, 3) == LaneLayout::none);
    CHECK(layout.rows[layout.row_of(0, 1)].y - layout.rows[layout.row_of(0, 0)].y == 19);
    CHECK(layout.rows[layout.row_of(5, 0)].height == 22);
}

TEST_CASE("headings name the kind of their rows") {
    const TracePtr trace = three_processes();
    const LaneLayout layout = build_layout(*trace, {}, {});
    CHECK(layout.groups[0].name == "python · 19392");
    CHECK(layout.groups[0].detail == "2 threads");
    CHECK(layout.groups[1].name == "GPU 0 · NVIDIA H100");
    CHECK(layout.groups[1].detail == "1 stream");
    CHECK(layout.groups[2].name == "process 77");
    CHECK(layout.lanes[0].name == "lane 0");
    CHECK(layout.lanes[0].detail == "nested calls");
    CHECK(layout.lanes[1].detail == "counter");
    CHECK(layout.lanes[2].detail == "instants");
    CHECK(layout.lanes[3].detail == "kernels");
    CHECK(layout.lanes[4].detail == "async ranges");
}

TEST_CASE("folded lanes keep one row, folded groups their head") {
    const TracePtr trace = three_processes();
    LaneArrangement folded;
    folded.folded = {0};
    folded.folded_groups = {"process 77 "};
    const LaneLayout layout = build_layout(*trace, folded, {});
    check_heights(layout);
    CHECK(layout.row_of(0, 0) != LaneLayout::none);
    CHECK(layout.row_of(0, 1) == LaneLayout::none);
    CHECK(layout.row_of(6, 0) == LaneLayout::none);
    CHECK(layout.groups[2].height == 22);
    CHECK(layout.groups[2].lane_begin == layout.groups[2].lane_end);
    const LaneLayout open = build_layout(*trace, {}, {});
    CHECK(layout.height < open.height);
    CHECK(layout.fingerprint != open.fingerprint);
    CHECK(build_layout(*trace, folded, {}).fingerprint == layout.fingerprint);
}

// Six streams: the annotations of the third are above its work, the fifth and sixth are the least.
TEST_CASE("a folded GPU shows the work of its busiest streams beside its name") {
    TraceMaker maker;
    maker.process("0", "python", true);
    for (const int count : {5, 4, 3, 2, 1, 1}) {
        std::vector<TestSlice> slices;
        if (count == 3) slices.push_back({0, 1000, "step", "gpu_user_annotation"});
        for (int i = 0; i < count; ++i) slices.push_back({10 * i, 5, "k", "kernel"});
        maker.lane({slices}, LaneKind::stream);
    }
    maker.counter({0, 10}, {1, 2});
    const TracePtr trace = maker.finish();
    LaneArrangement folded;
    folded.folded_groups = {lane_groups(*trace, {}).front().key};
    const LaneLayout layout = build_layout(*trace, folded, {});
    check_heights(layout);
    REQUIRE(layout.lanes.size() == 4);
    for (LaneId lane = 0; lane < 4; ++lane) {
        CHECK(layout.lanes[lane].id == lane);
        CHECK(layout.lanes[lane].in_head);
        CHECK(layout.row_of(lane, lane == 2 ? 1 : 0) != LaneLayout::none);
    }
    CHECK(layout.row_of(2, 0) == LaneLayout::none);
    CHECK(layout.row_of(4, 0) == LaneLayout::none);
    CHECK(layout.groups.front().height == 4 * 12);
    CHECK(layout.rows.size() == 5);
}

TEST_CASE("a group moves past the next group with lanes in its area") {
    const TracePtr trace = three_processes();
    LaneArrangement pinned;
    pinned.pinned = {5};  // the GPU's only lane
    const LaneLayout main = build_layout(*trace, pinned, {});
    REQUIRE(main.groups.size() == 2);
    CHECK(neighbour_group(main, main.groups[0].key, 1) == &main.groups[1]);
    CHECK(neighbour_group(main, main.groups[1].key, -1) == &main.groups[0]);
    CHECK(!neighbour_group(main, main.groups[0].key, -1));
    CHECK(!neighbour_group(main, main.groups[1].key, 1));
    CHECK(!neighbour_group(main, "no such group", 1));
}

TEST_CASE("the streams of many folded GPUs are thinner") {
    TraceMaker maker;
    LaneArrangement folded;
    for (const char* const pid : {"0", "1", "2"}) {
        maker.process(pid, "python", true);
        for (int lane = 0; lane < 4; ++lane)
            maker.lane({{{0, 5, "k", "kernel"}}}, LaneKind::stream);
    }
    const TracePtr trace = maker.finish();
    for (const LaneGroup& group : lane_groups(*trace, {})) folded.folded_groups.insert(group.key);
    const LaneLayout layout = build_layout(*trace, folded, {});
    REQUIRE(layout.groups.size() == 3);
    for (const GroupBox& group : layout.groups) CHECK(group.height == 24);
}

TEST_CASE("all heights scale with the interface") {
    const TracePtr trace = three_processes();
    const LaneLayout one = build_layout(*trace, {}, {});
    const LaneLayout two = build_layout(*trace, {}, scaled({}, 2));
    check_heights(two);
    REQUIRE(one.rows.size() == two.rows.size());
    for (std::size_t r = 0; r < one.rows.size(); ++r) {
        CHECK(two.rows[r].y == doctest::Approx(2 * one.rows[r].y));
        CHECK(two.rows[r].height == doctest::Approx(2 * one.rows[r].height));
    }
    CHECK(one.fingerprint != two.fingerprint);
}

TEST_CASE("an empty trace has an empty layout") {
    const LaneLayout layout = build_layout(*TraceMaker().finish(), {}, {});
    CHECK(layout.height == 0);
    CHECK(layout.row_at(0) == LaneLayout::none);
    CHECK(layout.lane_at(0) == LaneLayout::none);
}

TEST_CASE("the lanes between two heights are found; headings represent their rows") {
    const TracePtr trace = three_processes();
    LaneArrangement folded;
    folded.folded_groups = {"process 0 "};
    const LaneLayout layout = build_layout(*trace, folded, {});
    const auto middle = [&](uint32_t lane) {
        return layout.lanes[lane].y + layout.lanes[lane].height / 2;
    };
    const auto head = [&](uint32_t group) { return layout.rows[layout.groups[group].head_row].y; };
    using LaneIds = std::vector<LaneId>;
    CHECK(lanes_between(*trace, folded, layout, middle(0), middle(0)) == LaneIds{0});
    CHECK(lanes_between(*trace, folded, layout, middle(0), middle(2)) == LaneIds{0, 2, 3});
    CHECK(lanes_between(*trace, folded, layout, middle(2), middle(0)) == LaneIds{0, 2, 3});
    // The heading of an open group adds nothing to its lanes; alone it represents the group.
    CHECK(lanes_between(*trace, folded, layout, head(0) + 1, middle(0)) == LaneIds{0});
    CHECK(lanes_between(*trace, folded, layout, head(0) + 1, head(0) + 2) == LaneIds{0, 2, 3});
    // The heading of a folded group always represents it.
    CHECK(lanes_between(*trace, folded, layout, middle(2), head(1) + 1) == LaneIds{3, 5});
    CHECK(lanes_between(*trace, folded, layout, head(1) + 1, layout.height) == LaneIds{5, 6});
    CHECK(lanes_between(*trace, folded, layout, layout.height + 5, layout.height + 9).empty());
}
