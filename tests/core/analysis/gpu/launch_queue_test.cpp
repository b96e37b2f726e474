#include "core/analysis/gpu/launch_queue.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "core/analysis/gpu/launches.h"
#include "tests/core/analysis/gpu_trace_maker.h"
#include "tests/core/analysis/hta_conventions.h"
#include "tests/core/analysis/hta_truth.h"
#include "tests/core/real_traces.h"
#include "tests/core/trace_maker.h"

namespace lanescope {

namespace {

bool is_queued_launch(std::string_view call) {
    constexpr std::array<std::string_view, 10> calls = {
        "cudaLaunchKernel",    "cudaLaunchKernelExC", "cuLaunchKernel", "cudaMemcpyAsync",
        "cudaMemsetAsync",     "hipLaunchKernel",     "hipMemcpyAsync", "hipExtModuleLaunchKernel",
        "hipMemcpyWithStream", "hipMemsetAsync"};
    return std::ranges::find(calls, call) != calls.end();
}

struct Times {
    std::vector<Nanos> launches;
    std::vector<Nanos> begins;
};

// HTA's rules: streams of one id are the same on all devices; launches after the begin of the last
// of several ProfilerSteps are left out; whole microseconds.
std::map<int32_t, Times> times_for_hta(const TraceContext& context) {
    const Trace& trace = context.trace();
    const Nanos last = testing::last_step_of_hta(trace);
    const auto begin = [&](SliceRef slice) { return testing::in_whole_micros(trace, slice).begin; };
    std::map<int32_t, Times> by_stream;
    for (const Launch& launch : launches(context, {})) {
        const SliceRef work = trace.gpu_activities.slice[launch.row];
        if (!is_queued_launch(trace.name(launch.call)) || begin(launch.call) >= last) continue;
        Times& times = by_stream[trace.gpu_activities.stream[launch.row]];
        times.launches.push_back(begin(launch.call));
        times.begins.push_back(begin(work));
    }
    return by_stream;
}

}  // namespace

TEST_CASE("launch queue: the curve and its statistics") {
    const std::vector<QueuePoint> curve = queue_curve({0, 10, 20, 60}, {50, 20, 40, 70});
    // At 20 one activity begins before the next launch.
    const std::vector<std::pair<Nanos, int64_t>> expected = {{0, 1},  {10, 2}, {20, 1}, {20, 2},
                                                             {40, 1}, {50, 0}, {60, 1}, {70, 0}};
    REQUIRE(curve.size() == expected.size());
    for (std::size_t i = 0; i < curve.size(); ++i)
        CHECK(std::pair(curve[i].time, curve[i].length) == expected[i]);
    QueueStatistics all = queue_statistics(curve);
    CHECK(all.points == 8);
    CHECK(all.mean == 1);
    CHECK(all.min == 0);
    CHECK(all.max == 2);
    CHECK(all.p50 == 1);
    CHECK(all.time_mean == doctest::Approx((10 + 20 + 40 + 10 + 0 + 10) / 70.0));
    CHECK(all.full == 0);

    const QueueStatistics cut = queue_statistics(curve, TimeRange{15, 45});
    CHECK(cut.points == 3);
    CHECK(cut.time_mean == doctest::Approx((5 * 2 + 20 * 2 + 5 * 1) / 30.0));
    CHECK(queue_statistics({}).points == 0);
    CHECK(std::isnan(queue_statistics({}).time_mean));

    // Launch number 1024 fills the queue.
    std::vector<Nanos> launches;
    for (Nanos t = 1; t <= 1030; ++t) launches.push_back(t);
    const std::vector<QueuePoint> full = queue_curve(launches, {2000});
    CHECK(queue_statistics(full).full == 2000 - 1024);
    CHECK(queue_statistics(full, TimeRange{1500, 1600}).full == 100);
}

TEST_CASE("launch queue: a row for each stream") {
    const TracePtr trace = testing::GpuTraceMaker()
                               .call("cudaLaunchKernel", 0, 5, 1)
                               .work("first", 30, 10, 1)
                               .call("cudaLaunchKernel", 10, 5, 2)
                               .work("second", 40, 10, 2)
                               .work("of no launch", 70, 10, 9)
                               .work("of no launch", 70, 10, 10, 8)
                               .load();
    const TraceContext context(trace);
    const Table table = launches_by_stream_table(context, {});
    REQUIRE(table.row_count() == 2);
    const auto whole = [&](std::size_t row, std::string_view column) {
        return std::get<int64_t>(table.cell(row, *find_column(table.spec(), column)));
    };
    CHECK(whole(0, "stream") == 7);
    CHECK(whole(0, "launches") == 2);
    CHECK(whole(0, "points") == 4);
    CHECK(whole(0, "queue_max") == 2);
    CHECK(whole(1, "launches") == 0);
    CHECK(std::holds_alternative<std::monostate>(
        table.cell(1, *find_column(table.spec(), "queue_max"))));
    CHECK(launches_by_stream_table(TraceContext(TraceMaker().finish()), {}).row_count() == 0);

    const Table curve = launches_by_queue_table(context, {});
    const std::vector<std::pair<Nanos, int64_t>> expected = {
        {0, 1}, {10'000, 2}, {30'000, 1}, {40'000, 0}};
    REQUIRE(curve.row_count() == expected.size());
    for (std::size_t row = 0; row < expected.size(); ++row) {
        CHECK(std::get<int64_t>(curve.cell(row, 2)) == expected[row].first);
        CHECK(std::get<int64_t>(curve.cell(row, 3)) == expected[row].second);
    }
    CHECK(curve.target(1).range == TimeRange{trace->origin + 10'000, trace->origin + 30'000});
    CHECK(
        launches_by_queue_table(context, {TimeRange{trace->origin + 5'000, trace->origin + 35'000}})
            .row_count() == 2);
}

TEST_CASE("launch queue: equals HTA's queue lengths") {
    const nlohmann::json all = testing::hta_truth();
    int streams = 0;
    for (const auto& [trace_name, truth] : all.items()) {
        const std::string& name = trace_name;  // which a test can capture
        // Its activities are in none of the GPU categories.
        if (!truth.contains("queue") || name == "torch/mtia_inference.json.gz") continue;
        const TracePtr trace = testing::load_real_trace(name);
        REQUIRE(trace);
        std::map<int32_t, Times> by_stream = times_for_hta(TraceContext(trace));
        for (const nlohmann::json& theirs : truth["queue"]) {
            const int32_t stream = theirs["stream|"].get<int32_t>();
            CAPTURE(name);
            CAPTURE(stream);
            const auto found = by_stream.find(stream);
            REQUIRE(found != by_stream.end());
            // HTA leaves the order of a launch and a begin in the same microsecond open: its mean
            // lies between the means of the two orders.
            const QueueStatistics ours =
                queue_statistics(queue_curve(found->second.launches, found->second.begins));
            for (Nanos& begin : found->second.begins) begin += 1;
            const QueueStatistics whole_queue =
                queue_statistics(queue_curve(found->second.launches, found->second.begins));
            CHECK(theirs["queue_length|count"].get<double>() == static_cast<double>(ours.points));
            CHECK(theirs["queue_length|mean"].get<double>() >= ours.mean - 1e-9);
            CHECK(theirs["queue_length|mean"].get<double>() <= whole_queue.mean + 1e-9);
            CHECK(theirs["queue_length|max"].get<double>() == static_cast<double>(ours.max));
            CHECK(theirs["queue_length|min"].get<double>() == static_cast<double>(ours.min));
            CHECK(theirs["queue_length|50%"].get<double>() == ours.p50);
            ++streams;
        }
    }
    CHECK(streams == 2 + (testing::has_real_traces() ? 54 : 0));
}

}  // namespace lanescope
