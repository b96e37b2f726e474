#include "core/analysis/gpu/hta_idle.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "core/analysis/structure/attribution.h"
#include "tests/core/analysis/gpu_trace_maker.h"
#include "tests/core/analysis/hta_conventions.h"
#include "tests/core/analysis/hta_truth.h"
#include "tests/core/real_traces.h"
#include "tests/core/trace_maker.h"

namespace lanescope {

namespace {

// HTA's rules: streams of one id are the same on all devices; launches after the begin of the last
// ProfilerStep are left out, by correlation alone; whole microseconds.
std::map<int32_t, std::vector<HtaActivity>> activities_for_hta(const TraceContext& context) {
    const Trace& trace = context.trace();
    const GpuActivities& gpu = trace.gpu_activities;
    const Nanos last = testing::last_step_of_hta(trace);
    std::set<int64_t> launched;
    for (uint32_t row = 0; row < trace.runtime_calls.slice.size(); ++row)
        if (testing::in_whole_micros(trace, trace.runtime_calls.slice[row]).begin < last)
            launched.insert(trace.runtime_calls.correlation[row]);
    std::map<int32_t, std::vector<HtaActivity>> by_stream;
    for (uint32_t row = 0; row < gpu.slice.size(); ++row) {
        if (last != std::numeric_limits<Nanos>::max() && !launched.contains(gpu.correlation[row]))
            continue;
        HtaActivity activity{testing::in_whole_micros(trace, gpu.slice[row]), std::nullopt};
        if (const SliceRef call = context.get<Attribution>().launch[row])
            activity.launch = testing::in_whole_micros(trace, call).begin;
        by_stream[gpu.stream[row]].push_back(activity);
    }
    for (auto& [stream, activities] : by_stream)
        std::ranges::stable_sort(activities, {},
                                 [](const HtaActivity& a) { return a.range.begin; });
    return by_stream;
}

}  // namespace

TEST_CASE("HTA's idle time: three kinds; overlaps are negative gaps") {
    const TracePtr trace = testing::GpuTraceMaker()
                               .call("cudaLaunchKernel", 0, 5, 1)
                               .work("k1", 10, 10, 1)
                               .call("cudaLaunchKernel", 21, 2, 2)
                               .work("host", 30, 10, 2)
                               .call("cudaLaunchKernel", 24, 2, 3)
                               .work("kernel", 50, 10, 3)
                               .call("cudaLaunchKernel", 26, 2, 4)
                               .work("overlap", 55, 10, 4)
                               .work("other", 95, 10, 9)
                               .load();
    const TraceContext context(trace);
    const Table table = gaps_by_hta_table(context, {});
    REQUIRE(table.row_count() == 3);
    const auto whole = [&](std::size_t row, std::string_view column) {
        return std::get<int64_t>(table.cell(row, *find_column(table.spec(), column)));
    };
    CHECK(std::get<std::string_view>(table.cell(0, 2)) == "host_wait");
    CHECK(whole(0, "gaps") == 1);
    CHECK(whole(0, "idle_time_ns") == 10'000);
    CHECK(whole(1, "gaps") == 2);
    CHECK(whole(1, "idle_time_ns") == 10'000 - 5'000);
    CHECK(whole(2, "gaps") == 1);
    CHECK(whole(2, "idle_time_ns") == 30'000);
    CHECK(std::get<double>(table.cell(2, *find_column(table.spec(), "idle_time_ratio"))) ==
          doctest::Approx(30.0 / 45));
    const Table cut =
        gaps_by_hta_table(context, {TimeRange{trace->origin + 45'000, trace->origin + 60'000}});
    CHECK(std::get<int64_t>(cut.cell(1, *find_column(cut.spec(), "gaps"))) == 2);
    CHECK(std::get<int64_t>(cut.cell(2, *find_column(cut.spec(), "gaps"))) == 0);
    CHECK(gaps_by_hta_table(TraceContext(TraceMaker().finish()), {}).row_count() == 0);
}

TEST_CASE("HTA's idle time: equals what HTA computes") {
    // Several begin in the same microsecond, and HTA's sort leaves their order open: the kind of
    // each gap is ambiguous, the sum is not.
    const std::set<std::string> unordered = {"torch/mi300_qwen_chat.json.gz",
                                             "torch/mi300_rccl_merged_ranks_140mb.json.gz"};
    int compared = 0;
    const nlohmann::json all = testing::hta_truth();
    for (const auto& [trace_name, truth] : all.items()) {
        const std::string& name = trace_name;  // which a test can capture
        // Its activities are in none of the GPU categories.
        if (!truth.contains("idle") || name == "torch/mtia_inference.json.gz") continue;
        const TracePtr trace = testing::load_real_trace(name);
        REQUIRE(trace);
        CAPTURE(name);
        std::map<int32_t, std::map<std::string, double>> theirs;
        for (const nlohmann::json& row : truth["idle"])
            theirs[row["stream"].get<int32_t>()][row["idle_category"].get<std::string>()] =
                row["idle_time"].get<double>() * 1000;
        for (const auto& [id, activities] : activities_for_hta(TraceContext(trace))) {
            const int32_t stream = id;
            CAPTURE(stream);
            const auto ours = hta_idle_times(activities);
            double difference = 0;
            for (std::size_t i = 0; i < ours.size(); ++i) {
                const std::string category(hta_idle_name(static_cast<HtaIdle>(i)));
                CAPTURE(category);
                const auto total = static_cast<double>(ours[i].total);
                if (!unordered.contains(name)) CHECK(theirs[stream][category] == total);
                difference += theirs[stream][category] - total;
                ++compared;
            }
            CHECK(difference == 0);
        }
    }
    // The sample has two streams.
    CHECK(compared == 6 + (testing::has_real_traces() ? 165 : 0));
}

}  // namespace lanescope
