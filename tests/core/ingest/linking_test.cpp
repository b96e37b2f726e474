#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/core/ingest/loaded_text.h"

namespace {

using namespace lanescope;
using lanescope::testing::loaded;

std::string event(std::string_view category, int thread, int64_t correlation, int ts) {
    return fmt::format(
        R"({{"ph":"X","cat":"{}","name":"n","pid":1,"tid":{},"ts":{},"dur":1,"args":{{"correlation":{}}}}},)",
        category, thread, ts, correlation);
}
std::string call(int64_t correlation, int ts, int thread = 1) {
    return event("cuda_runtime", thread, correlation, ts);
}
std::string kernel(int64_t correlation, int ts) {
    return event("kernel", 7, correlation, ts);
}

TracePtr trace_of(const std::string& events) {
    return loaded("[" + events + R"({"ph":"i","name":"end","pid":1,"tid":1,"ts":1000000}])");
}

struct Ends {
    Nanos from;
    Nanos to;
    bool operator==(const Ends&) const = default;
};

// When the two ends of each link begin, in microseconds.
std::vector<Ends> link_times(const Trace& trace) {
    std::vector<Ends> times;
    for (const Link& link : trace.links)
        times.push_back({trace.start(link.from) / 1000, trace.start(link.to) / 1000});
    return times;
}

}  // namespace

TEST_CASE("calls and kernels find each other however their ids are spread") {
    // Each id is used by one call and one kernel; the kernels run in another order than the calls.
    for (const int64_t step : {int64_t{1}, int64_t{3}, int64_t{10'000'000}, INT64_MAX / 1000}) {
        CAPTURE(step);
        std::string text;
        std::vector<Ends> expected;
        for (int i = 0; i < 500; ++i) {
            const int64_t id = (i * 271 % 500 - 250) * step;
            text += call(id, 10 * i);
            const int kernel_start = 10'000 + 10 * (i * 37 % 500);
            text += kernel(id, kernel_start);
            expected.push_back({10 * i, kernel_start});
        }
        const TracePtr trace = trace_of(text);
        CHECK(link_times(*trace) == expected);
        CHECK(trace->facts.gpu_activities_with_launch == 500);
    }
}

TEST_CASE("of several calls with one id the last before the kernel launches it") {
    const TracePtr trace =
        trace_of(call(5, 100) + call(5, 300) + call(5, 300, 2) + call(5, 500) + kernel(5, 50) +
                 kernel(5, 100) + kernel(5, 299) + kernel(5, 310) + kernel(5, 900));
    CHECK(link_times(*trace) ==
          std::vector<Ends>{{100, 50}, {100, 100}, {100, 299}, {300, 310}, {500, 900}});
    // Two calls begin at 300: the one that launches is the first row, on thread 1.
    const Link& link = trace->links[3];
    CHECK(trace->strings[trace->lanes[link.from.lane].tid] == "1");
}

TEST_CASE("a kernel has a launch if one of the calls with its id is of CUDA's runtime or driver") {
    const std::string other = "xpu_runtime";
    const TracePtr trace =
        trace_of(event(other, 1, 1, 10) + call(1, 20) + event(other, 1, 1, 30) + kernel(1, 40) +
                 event(other, 1, 2, 50) + kernel(2, 60) + kernel(3, 70));
    CHECK(link_times(*trace) == std::vector<Ends>{{30, 40}, {50, 60}});
    CHECK(trace->facts.gpu_activities_with_launch == 1);
}

TEST_CASE("flows with the same id in another form are different") {
    const auto slice = [](int ts) {
        return fmt::format(R"({{"ph":"X","cat":"a","name":"n","pid":1,"tid":1,"ts":{},"dur":1}},)",
                           ts);
    };
    const auto flow = [](char phase, std::string_view id, int ts) {
        return fmt::format(
            R"({{"ph":"{}","cat":"f","name":"n","id":{},"pid":1,"tid":1,"ts":{},"bp":"e"}},)",
            phase, id, ts);
    };
    std::string text;
    std::vector<Ends> expected;
    const std::vector<std::string> ids = {"31", R"("0x1f")", R"("0x1F")", R"("31.0")", R"("0x20")"};
    for (int i = 0; i < static_cast<int>(ids.size()); ++i) {
        const int begin = 10 * i;
        const int end = 1000 + 10 * (i * 3 % 5);
        text += slice(begin) + slice(end) + flow('s', ids[static_cast<std::size_t>(i)], begin) +
                flow('f', ids[static_cast<std::size_t>(i)], end);
        expected.push_back({begin, end});
    }
    CHECK(link_times(*trace_of(text)) == expected);
}

TEST_CASE("a flow from a call to a synchronisation is kept, as no correlation says it") {
    const auto flow = [](char phase, int thread, int id, int ts) {
        return fmt::format(
            R"({{"ph":"{}","cat":"ac2g","name":"ac2g","id":{},"pid":1,"tid":{},"ts":{},"bp":"e"}},)",
            phase, id, thread, ts);
    };
    const auto named = [](std::string text, std::string_view name) {
        return text.replace(text.find("\"n\""), 3, fmt::format("\"{}\"", name));
    };
    // A file has flows behind their events, or all flows at its end.
    for (const bool at_end : {false, true}) {
        CAPTURE(at_end);
        std::string flows;
        std::string text;
        const auto add = [&](const std::string& event, const std::string& own) {
            text += event;
            (at_end ? flows : text) += own;
        };
        add(named(call(1, 10), "cudaLaunchKernel"), flow('s', 1, 1, 10));
        add(named(call(2, 20), "cudaStreamSynchronize"), flow('s', 1, 2, 20));
        add(named(call(3, 30), "cudaStreamWaitEvent"), flow('s', 1, 3, 30));
        add(kernel(1, 40), flow('f', 7, 1, 40));
        add(event("cuda_sync", 7, 2, 60), flow('f', 7, 2, 60));
        add(event("cuda_sync", 7, 3, 80), flow('f', 7, 3, 80));
        const TracePtr trace = trace_of(text + flows);
        CHECK(link_times(*trace) == std::vector<Ends>{{10, 40}, {20, 60}, {30, 80}});
        CHECK(trace->links[0].kind == LinkKind::launch);
        CHECK(trace->links[1].kind == LinkKind::flow);
        CHECK(trace->warnings.empty());
    }
}
