#include "core/view/lane_arrangement.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "core/view/first_arrangement.h"
#include "core/view/lane_layout.h"
#include "tests/core/trace_maker.h"

using namespace lanescope;

namespace {

using Ids = std::vector<LaneId>;

// A process with three threads and a curve, and two devices with two streams each. `second_part`:
// another, empty trace that it is joined with.
TracePtr make_trace(bool with_first = true, const char* second_part = nullptr) {
    TraceMaker maker;
    maker.trace().path = "made.json";
    if (second_part) {
        maker.trace().parts.resize(2);
        maker.trace().parts[0].key = "made.json";
        maker.trace().parts[1].key = second_part;
    }
    maker.process("42", "python");
    const auto thread = [&](std::string_view tid) {
        const LaneId lane = maker.lane({{{0, 1000}, {100, 300}, {150, 50}}});
        maker.trace().lanes[lane].tid = maker.trace().strings.intern(tid);
        maker.trace().lanes[lane].name = maker.trace().strings.intern("thread " + std::string(tid));
    };
    if (with_first) thread("1");
    thread("2");
    thread("3");
    maker.counter({0, 10}, {1, 2});
    for (const char* device : {"0", "1"}) {
        maker.process(device, "python", true);
        maker.trace().processes.back().device = device[0] - '0';
        for (const char* stream : {"7", "20"}) {
            const LaneId lane = maker.lane({{{0, 10}, {20, 10}}}, LaneKind::stream);
            maker.trace().lanes[lane].tid = maker.trace().strings.intern(stream);
            maker.trace().lanes[lane].name =
                maker.trace().strings.intern("stream " + std::string(stream));
        }
    }
    return maker.finish();
}

Ids shown_lanes(const Trace& trace, const LaneArrangement& arrangement) {
    Ids ids;
    for (const LaneBox& box : build_layout(trace, arrangement, {}).lanes) ids.push_back(box.id);
    return ids;
}

}  // namespace

TEST_CASE("lanes move past their neighbours, but stay in their group") {
    const TracePtr trace = make_trace();
    LaneArrangement arrangement;
    move_lane(arrangement, *trace, 1, -1);
    CHECK(shown_lanes(*trace, arrangement) == Ids{1, 0, 2, 3, 4, 5, 6, 7});
    move_lane(arrangement, *trace, 1, -1);  // it is the first
    CHECK(shown_lanes(*trace, arrangement) == Ids{1, 0, 2, 3, 4, 5, 6, 7});
    move_lane(arrangement, *trace, 3, 1);  // it is the last of its group
    CHECK(shown_lanes(*trace, arrangement) == Ids{1, 0, 2, 3, 4, 5, 6, 7});
    arrangement.hidden = {0};
    move_lane(arrangement, *trace, 1, 1);  // past the hidden lane and the next
    CHECK(shown_lanes(*trace, arrangement) == Ids{2, 1, 3, 4, 5, 6, 7});
    arrangement.hidden.clear();
    place_lane(arrangement, *trace, 3, 2, false);
    CHECK(shown_lanes(*trace, arrangement) == Ids{0, 3, 2, 1, 4, 5, 6, 7});
    const LaneArrangement before = arrangement;
    place_lane(arrangement, *trace, 3, 5, true);  // of another group
    CHECK(arrangement == before);
    place_lane(arrangement, *trace, 5, 4, false);
    CHECK(shown_lanes(*trace, arrangement) == Ids{0, 3, 2, 1, 5, 4, 6, 7});
}

TEST_CASE("lanes move past what is in view in the same area") {
    const TracePtr trace = make_trace();
    LaneArrangement arrangement;
    arrangement.pinned = {4, 1, 5};
    move_lane(arrangement, *trace, 0, 1);  // past the pinned lane and the next
    CHECK(shown_lanes(*trace, arrangement) == Ids{2, 0, 3, 6, 7});
    move_lane(arrangement, *trace, 4, 1);
    CHECK(arrangement.pinned == Ids{1, 5, 4});
    move_lane(arrangement, *trace, 4, 1);  // it is the last
    move_lane(arrangement, *trace, 1, 1);  // alone of its group
    CHECK(arrangement.pinned == Ids{1, 5, 4});
    move_lane(arrangement, *trace, 4, -1);
    CHECK(arrangement.pinned == Ids{1, 4, 5});
    arrangement.quiet = {3};
    move_lane(arrangement, *trace, 0, 1);  // it is the last that is in view
    CHECK(shown_lanes(*trace, arrangement) == Ids{2, 0, 6, 7});
}

TEST_CASE("groups move") {
    const TracePtr trace = make_trace();
    LaneArrangement arrangement;
    const auto names = [&] {
        std::vector<std::string> all;
        for (const LaneGroup& group : lane_groups(*trace, arrangement)) all.push_back(group.name);
        return all;
    };
    CHECK(names() == std::vector<std::string>{"python · 42", "GPU 0", "GPU 1"});
    const auto groups = lane_groups(*trace, arrangement);
    place_group(arrangement, *trace, groups[2].key, groups[0].key, false);
    CHECK(names() == std::vector<std::string>{"GPU 1", "python · 42", "GPU 0"});
    place_group(arrangement, *trace, groups[2].key, groups[0].key, true);
    CHECK(names() == std::vector<std::string>{"python · 42", "GPU 1", "GPU 0"});
}

TEST_CASE("streams with the same number stand together, named by their device") {
    const TracePtr trace = make_trace();
    LaneArrangement arrangement;
    arrangement.grouping = LaneGrouping::stream;
    const LaneLayout layout = build_layout(*trace, arrangement, {});
    REQUIRE(layout.groups.size() == 3);
    CHECK(layout.groups[1].name == "stream 7");
    CHECK(layout.groups[2].name == "stream 20");
    CHECK(shown_lanes(*trace, arrangement) == Ids{0, 1, 2, 3, 4, 6, 5, 7});
    CHECK(layout.lanes[4].name == "GPU 0");
    CHECK(layout.lanes[5].name == "GPU 1");
}

TEST_CASE("hidden lanes take no room, and their group shows their number") {
    const TracePtr trace = make_trace();
    LaneArrangement arrangement;
    arrangement.hidden = {0, 2, 4, 5};
    const LaneLayout layout = build_layout(*trace, arrangement, {});
    CHECK(shown_lanes(*trace, arrangement) == Ids{1, 3, 6, 7});
    CHECK(layout.hidden == 4);
    arrangement.pinned = {5};  // counted where the other hidden lanes are
    CHECK(build_layout(*trace, arrangement, {}).hidden == 4);
    arrangement.pinned = {};
    REQUIRE(layout.groups.size() == 2);  // not that of lanes 4 and 5
    CHECK(layout.groups[0].detail.ends_with("2 lanes hidden"));
    CHECK(layout.groups[0].hidden == 2);
    CHECK(layout.groups[1].name == "GPU 1");
    CHECK(layout.row_of(0, 0) == LaneLayout::none);
    CHECK(layout.row_of(1, 0) != LaneLayout::none);
    uncover(arrangement, *trace, 4, 0);
    CHECK(!arrangement.hidden.contains(4));
    arrangement.folded_groups = {lane_groups(*trace, arrangement)[1].key};
    arrangement.folded = {1};
    uncover(arrangement, *trace, 4, 0);
    CHECK(arrangement.folded_groups.empty());
    uncover(arrangement, *trace, 1, 0);
    CHECK(arrangement.folded.contains(1));  // its outermost row is seen
    uncover(arrangement, *trace, 1, 2);
    CHECK(arrangement.folded.empty());
}

TEST_CASE("pinned lanes have a separate layout, under the heads of their groups") {
    const TracePtr trace = make_trace();
    LaneArrangement arrangement;
    CHECK(build_pinned_layout(*trace, arrangement, {}).rows.empty());
    for (const LaneId lane : {5, 1, 0, 6}) toggle_pin(arrangement, lane);
    const LaneLayout pinned = build_pinned_layout(*trace, arrangement, {});
    CHECK(pinned.docked);
    REQUIRE(pinned.groups.size() == 3);
    CHECK(pinned.groups[0].name == "python · 42");
    CHECK(pinned.groups[0].detail == "2 threads");
    CHECK(pinned.groups[1].name == "GPU 0");
    CHECK(pinned.groups[1].detail == "1 stream");
    Ids ids;
    for (const LaneBox& box : pinned.lanes) ids.push_back(box.id);
    CHECK(ids == Ids{1, 0, 5, 6});
    CHECK(pinned.row_of(0, 2) != LaneLayout::none);
    CHECK(shown_lanes(*trace, arrangement) == Ids{2, 3, 4, 7});
    CHECK(lanes_between(*trace, arrangement, pinned, 0, 5) == Ids{0, 1});
    CHECK(lanes_between(*trace, arrangement, build_layout(*trace, arrangement, {}), 0, 5) ==
          Ids{2, 3});
    arrangement.hidden = {5};
    CHECK(build_pinned_layout(*trace, arrangement, {}).row_of(5, 0) == LaneLayout::none);
    toggle_pin(arrangement, 5);
    CHECK(arrangement.pinned == Ids{1, 0, 6});
}

TEST_CASE("one row represents the quiet lanes of a group") {
    const TracePtr trace = make_trace();
    LaneArrangement arrangement;
    arrangement.quiet = {0, 2};
    const LaneLayout layout = build_layout(*trace, arrangement, {});
    CHECK(shown_lanes(*trace, arrangement) == Ids{1, 3, 4, 5, 6, 7});
    const GroupBox& group = layout.groups.front();
    CHECK(group.quiet == 2);
    CHECK(layout.rows[group.more_row].kind == RowKind::more);
    CHECK(layout.groups[1].quiet == 0);
    uncover(arrangement, *trace, 2, 0);
    CHECK(arrangement.quiet == std::set<LaneId>{0});
    arrangement.hidden = {0};
    CHECK(build_layout(*trace, arrangement, {}).groups.front().quiet == 0);
}

TEST_CASE("a curve may be higher, and a deep lane may show fewer rows") {
    const TracePtr trace = make_trace();
    LaneArrangement arrangement;
    const LaneLayout usual = build_layout(*trace, arrangement, {});
    arrangement.curve_heights[3] = 3;
    arrangement.most_rows[0] = 1;
    const LaneLayout other = build_layout(*trace, arrangement, {});
    CHECK(other.lanes[3].height ==
          doctest::Approx(usual.lanes[3].height + 2 * Measures{}.counter_row));
    CHECK(other.lanes[0].hidden_rows == 2);
    CHECK(other.lanes[0].detail == "nested calls · 2 rows more");
    CHECK(other.lanes[0].height < usual.lanes[0].height);
    CHECK(other.row_of(0, 0) != LaneLayout::none);
    CHECK(other.row_of(0, 1) == LaneLayout::none);
    uncover(arrangement, *trace, 0, 2);
    CHECK(arrangement.most_rows.empty());
}

TEST_CASE("an arrangement is read back as written") {
    const TracePtr trace = make_trace();
    LaneArrangement arrangement;
    arrangement.folded_groups = {"process 42 python"};
    arrangement.folded = {1};
    arrangement.hidden = {2, 5};
    arrangement.quiet = {7};
    arrangement.pinned = {6, 0};
    arrangement.dock_height = 120;
    arrangement.order = {2, 1, 0, 3};
    arrangement.group_order = {"process 1 ", "process 42 python", "process 0 "};
    arrangement.curve_heights = {{3, 2.5}};
    arrangement.most_rows = {{0, 2}};
    arrangement.grouping = LaneGrouping::stream;
    arrangement.filter = {PythonShown::modules, true};
    const auto read = parse_arrangement(arrangement_text(arrangement, *trace), *trace);
    REQUIRE(read);
    CHECK(*read == arrangement);
}

TEST_CASE("lanes of every kind are arranged") {
    TraceMaker maker;
    maker.process("42", "python");
    for (std::size_t kind = 0; kind < kLaneKinds; ++kind)
        maker.lane({{{0, 10}}}, static_cast<LaneKind>(kind));  // of one name and number
    const TracePtr trace = maker.finish();
    LaneArrangement arrangement;
    for (LaneId lane = 0; lane < kLaneKinds; ++lane) {
        arrangement.hidden = {lane};
        const auto read = parse_arrangement(arrangement_text(arrangement, *trace), *trace);
        REQUIRE(read);
        CHECK(*read == arrangement);
    }
}

TEST_CASE("lanes are found again in a trace with other ids") {
    const TracePtr whole = make_trace();
    const TracePtr part = make_trace(false);  // without thread 1
    LaneArrangement arrangement;
    arrangement.hidden = {0, 2, 5};  // threads 1 and 3, and a stream
    const auto read = parse_arrangement(arrangement_text(arrangement, *whole), *part);
    REQUIRE(read);
    CHECK(read->hidden == std::set<LaneId>{1, 4});
}

TEST_CASE("an arrangement of one trace also applies when other traces are added or removed") {
    const TracePtr alone = make_trace();
    const TracePtr joined = make_trace(true, "another.json");
    LaneArrangement arrangement;
    arrangement.folded_groups = {lane_groups(*alone, {}).front().key};
    arrangement.hidden = {0, 2};
    arrangement.pinned = {5};
    arrangement.curve_heights = {{3, 2.0}};
    const auto moved = parse_arrangement(arrangement_text(arrangement, *alone), *joined);
    REQUIRE(moved);
    CHECK(moved->hidden == arrangement.hidden);
    CHECK(moved->pinned == arrangement.pinned);
    CHECK(moved->curve_heights == arrangement.curve_heights);
    CHECK(moved->folded_groups == std::set<std::string>{lane_groups(*joined, {}).front().key});
    CHECK(moved->folded_groups != arrangement.folded_groups);
    const auto back = parse_arrangement(arrangement_text(*moved, *joined), *alone);
    REQUIRE(back);
    CHECK(*back == arrangement);
}

TEST_CASE("invalid arrangements are errors; values out of bounds are corrected") {
    const TracePtr trace = make_trace();
    for (const char* text : {"", "{", "[]", "{}", "{\"lanes\": 3}",
                             "{\"lanes\": 2, \"hidden\": [3]}", "{\"lanes\": 2, \"grouping\": 7}",
                             "{\"lanes\": 2, \"most_rows\": {\"x\": []}, \"hidden\": 1}"}) {
        CAPTURE(text);
        if (std::string_view(text).find("most_rows") == std::string_view::npos)
            CHECK(!parse_arrangement(text, *trace));
    }
    const auto read = parse_arrangement(
        R"({"lanes": 2, "hidden": ["no such lane"], "python_frames": "some",
            "curve_heights": {"42/counter//lane 3": 1e9}, "most_rows": {"42/thread/1/thread 1": 0}})",
        *trace);
    REQUIRE(read);
    CHECK(read->hidden.empty());
    CHECK(read->filter == LaneFilter{});
    CHECK(read->curve_heights.at(3) == 10);
    CHECK(read->most_rows.at(0) == 1);
}

TEST_CASE("of an arrangement of version 1, everything but the pinned lanes is used") {
    const TracePtr trace = make_trace();
    const std::string text = R"({"lanes": 1, "hidden": ["42/thread/2/thread 2"],
        "pinned": ["42/thread/1/thread 1"], "python_frames": "all",
        "curve_heights": {"42/counter//lane 3": 2}, "most_rows": {"42/thread/1/thread 1": 2}})";
    CHECK(is_old_arrangement(text));
    const auto read = parse_arrangement(text, *trace);
    REQUIRE(read);
    CHECK(read->pinned == first_arrangement(*trace).pinned);
    CHECK(read->filter == first_arrangement(*trace).filter);
    CHECK(read->hidden == std::set<LaneId>{1});
    CHECK(read->curve_heights.at(3) == 2);
    CHECK(read->most_rows.at(0) == 2);
    const std::string again = arrangement_text(*read, *trace);
    CHECK(!is_old_arrangement(again));
    CHECK(*parse_arrangement(again, *trace) == *read);
    const auto without = parse_arrangement(R"({"lanes": 1, "python_frames": "none"})", *trace);
    REQUIRE(without);
    CHECK(without->filter.python == PythonShown::none);
}

TEST_CASE("lanes have the heights they are given, within bounds") {
    const TracePtr trace = make_trace();
    LaneArrangement arrangement;
    const Lane& deep = trace->lanes[0];
    CHECK(lane_height(arrangement, 0, deep) == 3);
    set_lane_height(arrangement, 0, deep, 2);
    CHECK(lane_height(arrangement, 0, deep) == 2);
    CHECK(arrangement.most_rows == std::map<LaneId, uint32_t>{{0, 2}});
    set_lane_height(arrangement, 0, deep, -5);
    CHECK(lane_height(arrangement, 0, deep) == 1);
    set_lane_height(arrangement, 0, deep, 9);
    CHECK(arrangement.most_rows.empty());
    const Lane& curve = trace->lanes[3];
    CHECK(lane_height(arrangement, 3, curve) == 1);
    set_lane_height(arrangement, 3, curve, 1.5);
    CHECK(lane_height(arrangement, 3, curve) == 1.5);
    set_lane_height(arrangement, 3, curve, 0);
    CHECK(lane_height(arrangement, 3, curve) == 0.5);
}
