#include "core/analysis/gpu/launches.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string>

#include "core/analysis/statistics/distribution.h"
#include "tests/core/analysis/gpu_trace_maker.h"
#include "tests/core/analysis/hta_conventions.h"
#include "tests/core/analysis/hta_truth.h"
#include "tests/core/real_traces.h"

namespace lanescope {

namespace {

bool is_cuda_launch(std::string_view call) {
    constexpr std::array<std::string_view, 4> calls = {"cudaLaunchKernel", "cudaLaunchKernelExC",
                                                       "cudaMemcpyAsync", "cudaMemsetAsync"};
    return std::ranges::find(calls, call) != calls.end();
}

// HTA's delays in whole microseconds, ascending, without launches after the begin of the last of
// several ProfilerSteps.
std::vector<Nanos> delays_by_hta(const TraceContext& context) {
    const Trace& trace = context.trace();
    const Nanos last = testing::last_step_of_hta(trace);
    const auto whole = [&](SliceRef slice) { return testing::in_whole_micros(trace, slice); };
    std::vector<Nanos> delays;
    for (const Launch& launch : launches(context, {})) {
        if (!is_cuda_launch(trace.name(launch.call)) || whole(launch.call).begin >= last) continue;
        const Nanos start = whole(trace.gpu_activities.slice[launch.row]).begin;
        delays.push_back(std::max<Nanos>(0, start - whole(launch.call).end) / 1000);
    }
    std::ranges::sort(delays);
    return delays;
}

}  // namespace

TEST_CASE("launches: latency and the queue of each stream") {
    const TracePtr trace = testing::GpuTraceMaker()
                               .call("cudaLaunchKernel", 0, 5, 1)
                               .work("first", 30, 10, 1)
                               .call("cudaLaunchKernel", 10, 5, 2)
                               .work("second", 40, 10, 2)
                               .call("cudaLaunchKernel", 20, 2, 3)
                               .work("other stream", 21, 10, 3, 8)
                               .call("cudaLaunchKernel", 40, 5, 4)
                               .work("third", 50, 10, 4)
                               .work("of no launch", 70, 10, 9)
                               .load();
    const TraceContext context(trace);
    const std::vector<Launch> all = launches(context, {});
    REQUIRE(all.size() == 4);
    const auto check = [&](std::size_t i, std::string_view name, Nanos latency, int64_t depth) {
        CHECK(trace->name(trace->gpu_activities.slice[all[i].row]) == name);
        CHECK(all[i].latency == latency);
        CHECK(all[i].queue_depth == depth);
    };
    check(0, "first", 25'000, 1);
    check(1, "second", 25'000, 2);
    check(2, "other stream", -1'000, 1);
    check(3, "third", 5'000, 1);

    // Launches before the range still count for the queue.
    const Nanos origin = trace->origin;
    const std::vector<Launch> cut = launches(context, {TimeRange{origin + 1, origin + 15'000}});
    REQUIRE(cut.size() == 1);
    CHECK(cut[0].queue_depth == 2);
    const Table table = launches_table(context, {});
    REQUIRE(table.row_count() == 4);
    CHECK(std::get<int64_t>(table.cell(2, *find_column(table.spec(), "latency_ns"))) == -1'000);
    CHECK(table.target(2).slice == all[2].call);
}

TEST_CASE("launches: equal HTA's launch delays") {
    const nlohmann::json all = testing::hta_truth();
    int compared = 0;
    for (const auto& [trace_name, truth] : all.items()) {
        const std::string& name = trace_name;  // which a test can capture
        // Its activities are in none of the GPU categories.
        if (name == "torch/mtia_inference.json.gz") continue;
        CAPTURE(name);
        const TracePtr trace = testing::load_real_trace(name);
        REQUIRE(trace);
        const std::vector<Nanos> delays = delays_by_hta(TraceContext(trace));
        const nlohmann::json& theirs = truth["launch"]["launch_delay"];
        CHECK(theirs["count"].get<double>() == static_cast<double>(delays.size()));
        if (delays.empty()) continue;
        ++compared;
        const Distribution ours = distribution_of(delays);
        CHECK(theirs["mean"].get<double>() == doctest::Approx(ours.mean).epsilon(1e-12));
        CHECK(theirs["50%"].get<double>() == doctest::Approx(ours.p50).epsilon(1e-12));
        CHECK(theirs["max"].get<double>() == static_cast<double>(ours.max));
    }
    CHECK(compared == 1 + (testing::has_real_traces() ? 14 : 0));
}

}  // namespace lanescope
