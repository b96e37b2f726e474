// Names of processes and their lanes.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "core/view/lane_arrangement.h"
#include "tests/core/ingest/loaded_text.h"

using namespace lanescope;

namespace {

std::string event(std::string_view category, std::string_view pid, int start) {
    return R"({"ph":"X","name":"e","cat":")" + std::string(category) + R"(","pid":)" +
           std::string(pid) + R"(,"tid":0,"ts":)" + std::to_string(start) + R"(,"dur":1})";
}

std::vector<std::string> titles(const Trace& trace) {
    std::vector<std::string> found;
    for (const LaneGroup& group : lane_groups(trace, {})) found.push_back(group.name);
    return found;
}

std::vector<std::string> lanes(const Trace& trace) {
    std::vector<std::string> found;
    for (const Lane& lane : trace.lanes) found.emplace_back(trace.strings[lane.name]);
    return found;
}

using Titles = std::vector<std::string>;

}  // namespace

TEST_CASE("the process without a pid is profiler overhead where it holds nothing else") {
    const std::string call = event("cpu_op", "7", 0);
    const TracePtr older = testing::loaded("[" + call + "," + event("overhead", "-1", 1) + "]");
    CHECK(titles(*older) == Titles{"process 7", "CUPTI Overhead"});
    const TracePtr named = testing::loaded(
        "[" + call + "," + event("overhead", "-1", 1) +
        R"(,{"ph":"M","name":"process_name","pid":-1,"tid":0,"args":{"name":"Overhead"}}])");
    CHECK(titles(*named) == Titles{"process 7", "Overhead"});
    const TracePtr other = testing::loaded("[" + call + "," + event("overhead", "-1", 1) + "," +
                                           event("cpu_op", "-1", 3) + "]");
    CHECK(titles(*other) == Titles{"process 7", "process -1"});
    const TracePtr pairs =
        testing::loaded(R"([{"ph":"B","name":"main","cat":"app","pid":-1,"tid":5,"ts":1},)"
                        R"({"ph":"E","name":"main","pid":-1,"tid":5,"ts":100}])");
    CHECK(titles(*pairs) == Titles{"process -1"});
    CHECK_FALSE(pairs->processes[0].is_profilers_own);
}

TEST_CASE("a trace with thousands of lanes has all their slices") {
    std::string text = "[";
    constexpr int kLanes = 20'000;
    // One lane has more slices than those that are laid out together.
    for (int i = 0; i < 3 * kLanes; ++i)
        text +=
            fmt::format(R"({{"ph":"X","cat":"a","name":"n","pid":1,"tid":{},"ts":{},"dur":1}},)",
                        i % 3 == 2 ? 7 : i * 7919 % kLanes, i);
    text.back() = ']';
    const TracePtr trace = testing::loaded(text);
    REQUIRE(trace->lanes.size() == kLanes);
    std::size_t slices = 0;
    for (std::size_t i = 0; i < trace->lanes.size(); ++i) {
        const Lane& lane = trace->lanes[i];
        slices += lane.slice_count;
        REQUIRE(trace->strings[lane.tid] == std::to_string(i));
        for (uint32_t k = 1; k < lane.slice_count; ++k)
            REQUIRE(lane.chunks[0]->start[k - 1] < lane.chunks[0]->start[k]);
    }
    CHECK(slices == 3 * kLanes);
    CHECK(trace->lanes[7].slice_count > kLanes);
}

TEST_CASE("lanes without a name are named after their events") {
    const std::string on_gpu =
        R"({"ph":"X","name":"k","cat":"kernel","pid":3,"tid":7,"ts":2,"dur":1,"args":{"device":3}})";
    const std::string of_context =
        R"({"ph":"X","name":"Context Sync","cat":"cuda_sync","pid":3,"tid":-1,"ts":4,"dur":1})";
    const std::string call = event("cpu_op", "7", 0);
    const TracePtr trace = testing::loaded("[" + call + "," + on_gpu + "," + of_context + "," +
                                           event("overhead", "-1", 1) + "]");
    CHECK(lanes(*trace) == Titles{"thread 0", "Device 3", "stream 7", "overhead"});
    const TracePtr own_name = testing::loaded(
        "[" + on_gpu + "," + of_context +
        R"(,{"ph":"M","name":"thread_name","pid":3,"tid":-1,"args":{"name":"context"}}])");
    CHECK(lanes(*own_name) == Titles{"context", "stream 7"});
}
