#include "core/analysis/gpu/launch_summary.h"

#include <doctest/doctest.h>

#include <string>

#include "core/analysis/gpu/launches.h"
#include "tests/core/analysis/gpu_trace_maker.h"
#include "tests/core/real_traces.h"
#include "tests/core/trace_maker.h"

namespace lanescope {

TEST_CASE("launch summary: a call of 50 µs is not long, one of 51 µs is") {
    for (const int duration : {50, 51}) {
        const TracePtr trace = testing::GpuTraceMaker()
                                   .call("cudaLaunchKernel", 0, duration, 1)
                                   .work("shorter than its call", 60, 5, 1)
                                   .load();
        const std::vector<LaunchSummary> all = launch_summaries(TraceContext(trace), {});
        REQUIRE(all.size() == 2);
        CHECK(all[0].long_calls == (duration == 51 ? 1 : 0));
        CHECK(all[0].short_kernels == (duration == 50 ? 1 : 0));
    }
}

TEST_CASE("launch summary: all calls together, then each kind") {
    const TracePtr trace = testing::GpuTraceMaker()
                               .call("cudaLaunchKernel", 0, 10, 1)
                               .work("shorter than its call", 20, 5, 1)
                               .call("cudaLaunchKernel", 30, 10, 2)
                               .work("as long", 150, 10, 2)
                               .call("cudaLaunchKernel", 200, 60, 3)
                               .work("of a long call, before its end", 250, 20, 3)
                               .call("cudaGraphLaunch", 300, 8, 4)
                               .work("node", 310, 5, 4)
                               .work("node", 320, 9, 4)
                               .load();
    const TraceContext context(trace);
    const std::vector<LaunchSummary> summaries = launch_summaries(context, {});
    REQUIRE(summaries.size() == 3);
    const LaunchSummary& all = summaries[0];
    CHECK(all.call == StringPool::none);
    CHECK(all.latency.count == 5);
    CHECK(all.duration.count == 4);  // the graph's is one call
    CHECK(all.negative == 1);
    CHECK(all.late == 1);
    CHECK(all.long_calls == 1);
    CHECK(all.short_kernels == 2);
    const LaunchSummary& kernel = summaries[1];
    CHECK(trace->strings[kernel.call] == "cudaLaunchKernel");
    CHECK(kernel.latency.max == 110'000);
    CHECK(kernel.latency.min == -10'000);
    CHECK(kernel.latency.p50 == 10'000);
    CHECK(trace->start(kernel.latest) == trace->origin + 30'000);
    CHECK(trace->strings[summaries[2].call] == "cudaGraphLaunch");
    CHECK(summaries[2].latency.mean == 7'000);
    CHECK(summaries[2].duration.max == 8'000);

    const Table table = launches_by_summary_table(context, {});
    REQUIRE(table.row_count() == 3);
    CHECK(std::holds_alternative<std::monostate>(table.cell(0, 0)));
    CHECK(table.target(1).slice == kernel.latest);
    CHECK(launch_summaries(context, {TimeRange{trace->origin + 30'000, trace->origin + 40'000}})
              .size() == 2);
    CHECK(launches_by_summary_table(TraceContext(TraceMaker().finish()), {}).row_count() == 0);
}

TEST_CASE("launch summary: it equals the sum of single launches") {
    for (const std::string& name : testing::traces_of_slow_tests(2)) {
        const TracePtr trace = testing::load_real_trace(name);
        if (!trace) return;
        CAPTURE(name);
        const TraceContext context(trace);
        const std::vector<LaunchSummary> summaries = launch_summaries(context, {});
        for (std::size_t i = 0; i < summaries.size(); ++i) {
            uint64_t count = 0;
            uint64_t negative = 0;
            uint64_t late = 0;
            Nanos total = 0;
            for (const Launch& launch : launches(context, {})) {
                if (i > 0 && trace->name_id(launch.call) != summaries[i].call) continue;
                ++count;
                total += launch.latency;
                negative += launch.latency < 0 ? 1 : 0;
                late += launch.latency > 100'000 ? 1 : 0;
            }
            CHECK(summaries[i].latency.count == count);
            CHECK(summaries[i].latency.total == total);
            CHECK(summaries[i].negative == negative);
            CHECK(summaries[i].late == late);
        }
    }
}

}  // namespace lanescope
