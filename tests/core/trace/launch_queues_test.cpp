#include "core/trace/launch_queues.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/gpu/launch_queue.h"
#include "core/analysis/structure/lanes.h"
#include "core/ingest/load.h"
#include "core/table/columns.h"
#include "core/trace/derived_lanes.h"
#include "core/view/lane_arrangement.h"
#include "tests/core/analysis/gpu_trace_maker.h"
#include "tests/core/real_traces.h"

namespace lanescope {

namespace {

using Curve = std::vector<std::pair<Nanos, double>>;  // times relative to the trace's origin

TracePtr load_with_queues(const std::string& path) {
    LoadOptions options;
    options.derived_lanes = true;
    const Result<TracePtr> trace = load_trace(path, options);
    if (!trace) FAIL(trace.error().text);
    return *trace;
}

Curve curve_of(const Trace& trace, const Lane& lane) {
    Curve curve;
    for (std::size_t i = 0; i < lane.counter->time.size(); ++i)
        curve.emplace_back(lane.counter->time[i] - trace.origin, lane.counter->value[i]);
    return curve;
}

// By ids of device and stream, like the lanes.
using Curves = std::map<std::pair<std::string, std::string>, Curve>;

Curves curves_of_lanes(const Trace& trace) {
    Curves curves;
    for (const Lane& lane : trace.lanes)
        if (lane.derived && lane.counter)
            curves[{std::string(trace.strings[trace.processes[lane.process].pid]),
                    std::string(trace.strings[lane.tid])}] = curve_of(trace, lane);
    return curves;
}

Curves curves_of_table(const Trace& trace, const TraceContext& context) {
    const Table table = launches_by_queue_table(context, {});
    const auto column = [&](std::string_view name) { return *find_column(table.spec(), name); };
    Curves curves;
    for (std::size_t row = 0; row < table.row_count(); ++row) {
        const auto whole = [&](std::string_view name) {
            return std::get<int64_t>(table.cell(row, column(name)));
        };
        const auto pid = std::get<std::string_view>(table.cell(row, column("pid")));
        const bool known = std::holds_alternative<int64_t>(table.cell(row, column("stream")));
        const int64_t stream = known ? whole("stream") : -1;
        // Tids are texts such as "7", or "stream 7" in some files.
        const auto lane = std::ranges::find_if(trace.lanes, [&](const Lane& l) {
            const std::string_view tid = trace.strings[l.tid];
            return l.derived && l.counter && trace.strings[trace.processes[l.process].pid] == pid &&
                   (tid == std::to_string(stream) || tid == "stream " + std::to_string(stream));
        });
        const std::string tid =
            lane == trace.lanes.end() ? "?" : std::string(trace.strings[lane->tid]);
        curves[{std::string(pid), tid}].emplace_back(whole("start_ns"),
                                                     static_cast<double>(whole("queue_length")));
    }
    return curves;
}

}  // namespace

TEST_CASE("launch queues: a curve below each stream with launches") {
    const std::string text = testing::GpuTraceMaker()
                                 .call("cudaLaunchKernel", 0, 5, 1)
                                 .work("first", 30, 10, 1)
                                 .call("cudaLaunchKernel", 10, 5, 2)
                                 .work("second", 40, 10, 2)
                                 .work("of no launch", 70, 10, 9, 8)
                                 .call("cudaLaunchKernel", 80, 5, 3)
                                 .work("third", 90, 10, 3, 9)
                                 .text();
    const testing::MemoryFile file(text);
    const TracePtr plain = testing::loaded(text);
    const TracePtr trace = load_with_queues(file.path());
    REQUIRE(trace->lanes.size() == plain->lanes.size() + 2);
    for (LaneId id = 0; id < plain->lanes.size(); ++id) {
        CHECK_FALSE(trace->lanes[id].derived);
        CHECK(trace->lanes[id].slice_count == plain->lanes[id].slice_count);
    }
    const Curves curves = curves_of_lanes(*trace);
    REQUIRE(curves.size() == 2);
    CHECK(curves.at({"0", "7"}) == Curve{{0, 1}, {10'000, 2}, {30'000, 1}, {40'000, 0}});
    CHECK(curves.at({"0", "9"}) == Curve{{80'000, 1}, {90'000, 0}});
    CHECK(trace->lanes[plain->lanes.size()].counter->max == 2);

    // Not a lane of the file, but directly below its stream when sorted by device and by stream.
    CHECK(lanes_table(*trace, std::nullopt).row_count() ==
          lanes_table(*plain, std::nullopt).row_count());
    for (const LaneGrouping grouping : {LaneGrouping::process, LaneGrouping::stream}) {
        LaneArrangement arrangement;
        arrangement.grouping = grouping;
        int below = 0;
        for (const LaneGroup& group : lane_groups(*trace, arrangement))
            for (std::size_t i = 1; i < group.lanes.size(); ++i) {
                const Lane& lane = trace->lanes[group.lanes[i]];
                if (!lane.derived || !lane.counter) continue;
                CHECK(origin_of(*trace, lane) == &trace->lanes[group.lanes[i - 1]]);
                CHECK(lane_title(*trace, arrangement, group.lanes[i]) == "launch queue");
                ++below;
            }
        CHECK(below == 2);
    }
    CHECK(origin_of(*trace, trace->lanes[0]) == nullptr);
}

TEST_CASE("launch queues: curves of all traces equal the table") {
    int streams = 0;
    for (const std::string& trace_name : testing::torch_traces_and_samples()) {
        const std::string& name = trace_name;  // lambdas cannot capture the loop's variable
        CAPTURE(name);
        const TracePtr trace = load_with_queues(testing::real_trace(name));
        const Curves of_lanes = curves_of_lanes(*trace);
        CHECK(of_lanes == curves_of_table(*trace, TraceContext(trace)));
        if (trace->facts.gpu_activities_with_launch == 0) CHECK(of_lanes.empty());
        streams += static_cast<int>(of_lanes.size());
        const auto of_file = std::ranges::count(trace->lanes, false, &Lane::derived);
        CHECK(lanes_table(*trace, std::nullopt).row_count() == static_cast<std::size_t>(of_file));
    }
    CHECK(streams >= (testing::has_real_traces() ? 54 : 1));
}

}  // namespace lanescope
