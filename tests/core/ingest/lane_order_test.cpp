// Names of processes and their lanes.
#include <doctest/doctest.h>

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
