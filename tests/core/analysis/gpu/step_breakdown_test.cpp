#include "core/analysis/gpu/step_breakdown.h"

#include <doctest/doctest.h>

#include <array>
#include <numeric>

#include "core/analysis/structure/steps.h"
#include "tests/core/analysis/gpu_trace_maker.h"
#include "tests/core/real_traces.h"

namespace lanescope {

TEST_CASE("step breakdown: equals torch_tb_profiler 0.4.3 on its own sample") {
    const TracePtr trace = testing::load_real_trace("torch/v100_resnet50_2021.json.gz");
    if (!trace) return;
    // In µs: kernel, copy, set, communication, runtime, data loader, CPU, other, all.
    const std::array<std::array<Nanos, 9>, 6> plugin = {{
        {98598, 1941, 90, 0, 2796, 69317, 14091, 1115, 187948},
        {98570, 1947, 89, 0, 2762, 57669, 12968, 1148, 175153},
        {98596, 1931, 91, 0, 2877, 61257, 13768, 1213, 179733},
        {98623, 1938, 89, 0, 2841, 56453, 13420, 1200, 174564},
        {98504, 1937, 87, 0, 2788, 62690, 15025, 1141, 182172},
        {98641, 1798, 88, 0, 3381, 48185, 12773, 1117, 165983},
    }};
    const TraceContext context(trace);
    const std::vector<StepBreakdown> rows = step_breakdowns(context, {});
    REQUIRE(rows.size() == plugin.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        CAPTURE(i);
        for (std::size_t part = 0; part < kStepPartCount; ++part)
            CHECK(rows[i].parts[part] == plugin[i][part] * 1000);
        CHECK(rows[i].range.length() == plugin[i][8] * 1000);
    }
}

TEST_CASE("step breakdown: parts add up to consecutive steps") {
    for (const std::string& name : testing::traces_of_slow_tests(0)) {
        CAPTURE(name);
        const TracePtr trace = testing::load_real_trace(name);
        if (!trace) continue;
        const TraceContext context(trace);
        const std::vector<StepBreakdown> rows = step_breakdowns(context, {});
        CHECK(rows.size() == context.get<Steps>().all.size());
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const auto& parts = rows[i].parts;
            CHECK(std::accumulate(parts.begin(), parts.end(), Nanos{0}) == rows[i].range.length());
            for (const Nanos part : parts) CHECK(part >= 0);
            const Step& step = context.get<Steps>().all[rows[i].step];
            CHECK(rows[i].range.end >= step.range.end);
            if (i > 0 && context.get<Steps>().all[rows[i - 1].step].process == step.process)
                CHECK(rows[i].range.begin >= rows[i - 1].range.end);
        }
    }
}

TEST_CASE("step breakdown: a step includes the work it launched") {
    const TracePtr trace = testing::GpuTraceMaker()
                               .call("ProfilerStep#1", 0, 10, 0, 1, "user_annotation")
                               .call("aten::mm", 1, 6, 0, 1, "cpu_op")
                               .call("cudaLaunchKernel", 2, 2, 1)
                               .work("k", 8, 6, 1)
                               .call("ProfilerStep#2", 10, 10, 0, 1, "user_annotation")
                               .call("cudaMemcpyAsync", 15, 1, 2)
                               .work("copy", 15, 2, 2, 7, "gpu_memcpy")
                               .load();
    const TraceContext context(trace);
    const std::vector<StepBreakdown> rows = step_breakdowns(context, {});
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].range == TimeRange{trace->origin, trace->origin + 14'000});
    CHECK(rows[0].parts == std::array<Nanos, 8>{6'000, 0, 0, 0, 2'000, 0, 4'000, 2'000});
    CHECK(rows[1].range == TimeRange{trace->origin + 14'000, trace->origin + 20'000});
    CHECK(rows[1].parts == std::array<Nanos, 8>{0, 2'000, 0, 0, 0, 0, 0, 4'000});
    TableQuery query;
    query.range = context.get<Steps>().all[1].range;
    CHECK(step_breakdowns(context, query).size() == 1);
    CHECK(steps_by_breakdown_table(TraceContext(std::make_shared<Trace>()), {}).row_count() == 0);
}

}  // namespace lanescope
