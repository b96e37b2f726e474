#include "core/analysis/gpu/step_times.h"

#include <doctest/doctest.h>

#include <string>

#include "core/analysis/gpu/gaps.h"
#include "core/analysis/structure/device_steps.h"
#include "core/analysis/structure/steps.h"
#include "tests/core/analysis/gpu_trace_maker.h"
#include "tests/core/real_traces.h"

using namespace lanescope;
using lanescope::testing::GpuTraceMaker;

namespace {

// The row of a step from 1 to 2 ms, in which the GPU works for 300 µs and from `next` µs on.
StepRow row_of_gap(GpuTraceMaker maker, int next) {
    const TracePtr trace = maker.call("ProfilerStep#1", 1000, 1000, 0, 1, "user_annotation")
                               .call("cudaLaunchKernel", 990, 5, 1)
                               .work("k1", 1000, 300, 1)
                               .work("k2", 1000 + next, 1000 - next, 2)
                               .load();
    const StepTimes times = step_times(TraceContext(trace), {});
    REQUIRE(times.rows.size() == 1);
    return times.rows[0];
}

GpuTraceMaker launch_at(int start) {
    return GpuTraceMaker().call("cudaLaunchKernel", start, 5, 2);
}

void check_gap(const StepRow& row, Nanos overhead, StepBound bound) {
    CHECK(row.parts.overhead == overhead);
    CHECK(row.bound == bound);
}

// A copy follows a gap of 150 µs, for 130 µs of which the host works on it.
GpuTraceMaker copy_of(std::string_view name) {
    return launch_at(1440)
        .call("cudaMemcpyAsync", 1310, 130, 3)
        .work(name, 1450, 1, 3, 7, "gpu_memcpy");
}

}  // namespace

TEST_CASE("the cause of idle time decides whether a step is overhead-bound") {
    check_gap(row_of_gap(launch_at(1440), 450), 150'000, StepBound::overhead);
    check_gap(row_of_gap(launch_at(1440), 449), 149'000, StepBound::device);
    // Launch latency, and a wait before the launch.
    check_gap(row_of_gap(launch_at(1100), 450), 150'000, StepBound::overhead);
    check_gap(row_of_gap(launch_at(1440).call("cudaStreamSynchronize", 1250, 150), 450), 150'000,
              StepBound::overhead);
    check_gap(row_of_gap(copy_of("Memcpy HtoD (Pageable -> Device)"), 451), 150'000,
              StepBound::overhead);
    // No overhead: the host is not the cause, or the cause is not known.
    check_gap(row_of_gap(copy_of("Memcpy HtoD (Pinned -> Device)"), 451), 0, StepBound::device);
    check_gap(row_of_gap(GpuTraceMaker().call("cudaGraphLaunch", 1100, 5, 2), 450), 0,
              StepBound::device);
    check_gap(row_of_gap(GpuTraceMaker(), 450), 0, StepBound::device);
    check_gap(row_of_gap(launch_at(1440).call("Buffer Flush", 1310, 130, 0, 3, "overhead"), 450), 0,
              StepBound::device);
}

TEST_CASE("time in the data loader is not overhead, and input comes first") {
    const auto row_with_loader = [](int duration) {
        return row_of_gap(
            launch_at(1690).call("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
                                 1300, duration, 0, 1, "user_annotation"),
            700);
    };
    const StepRow loading = row_with_loader(300);
    check_gap(loading, 100'000, StepBound::input);
    CHECK(loading.parts.data_loading == 300'000);
    check_gap(row_with_loader(299), 101'000, StepBound::mixed);
    check_gap(row_with_loader(250), 150'000, StepBound::overhead);
}

TEST_CASE("before the first launch and after the last activity, the host is the cause") {
    const TracePtr trace = GpuTraceMaker()
                               .call("ProfilerStep#1", 0, 100, 0, 1, "user_annotation")
                               .call("cudaLaunchKernel", 5, 2, 1)
                               .work("k", 20, 70, 1)
                               .load();
    const StepTimes times = step_times(TraceContext(trace), {});
    REQUIRE(times.rows.size() == 1);
    // The file does not record why the first activity waited from 5 to 20 µs.
    check_gap(times.rows[0], 15'000, StepBound::overhead);
}

TEST_CASE("a process without GPU work has steps without a bound") {
    const TracePtr trace = testing::loaded(
        R"([{"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","pid":1,"tid":1,"ts":0,)"
        R"("dur":9},)"
        R"({"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","pid":2,"tid":2,"ts":0,)"
        R"("dur":9},)"
        R"({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":2,"tid":2,"ts":1,)"
        R"("dur":1,"args":{"correlation":1}},)"
        R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1,"dur":8,)"
        R"("args":{"device":0,"stream":7,"correlation":1}}])");
    const TraceContext context(trace);
    const StepTimes times = step_times(context, {});
    REQUIRE(times.rows.size() == 2);
    CHECK(times.rows[0].bound == StepBound::unknown);
    CHECK(times.rows[1].bound == StepBound::device);
    const Table table = steps_table(context, {});
    CHECK(
        std::holds_alternative<std::monostate>(table.cell(0, *find_column(table.spec(), "bound"))));
}

TEST_CASE("of every trace, the parts of a step's time add up, and overhead is in its gaps") {
    for (const std::string& name : testing::traces_of_slow_tests(0)) {
        const TracePtr trace = testing::load_real_trace(name);
        if (!trace) return;
        CAPTURE(name);
        const TraceContext context(trace);
        const Steps& steps = context.get<Steps>();
        for (const StepRow& row : step_times(context, {}).rows) {
            const TimeRange range = context.get<DeviceSteps>().all[row.step].window;
            CHECK(row.parts.whole == range.length());
            CHECK(row.parts.busy + row.parts.data_loading + row.parts.overhead <= range.length());
            if (row.bound == StepBound::unknown) continue;
            CHECK(row.bound == step_bound(row.parts));
            const StepPace pace = context.get<DeviceSteps>().pace[steps.all[row.step].process];
            if (pace == StepPace::late) continue;
            if (context.get<GpuDevices>().all.size() > 1) continue;
            // Without data loading, and within the span of the GPU's work, it is the sum of gaps.
            const TimeRange span = span_of(context.get<GpuDevices>().all.front().work);
            if (row.parts.data_loading > 0 || range.begin < span.begin || range.end > span.end)
                continue;
            Nanos sum = 0;
            for (const IdleGap& gap : context.get<AllIdleGaps>().rows)
                if (gap.of_device && is_overhead(*trace, gap) && gap.range.overlaps(range))
                    sum +=
                        std::min(gap.range.end, range.end) - std::max(gap.range.begin, range.begin);
            CHECK(row.parts.overhead == sum);
        }
    }
}

TEST_CASE("steps of known traces by what limits them") {
    using enum StepBound;
    const std::pair<const char*, std::vector<StepBound>> expected[] = {
        {"synthetic_step.json.gz", {device, device, device}},
        {"torch/v100_memory_nccl.json.gz", {overhead, overhead, overhead, overhead, communication}},
        {"torch/a100_train_before.json.gz", {overhead, overhead, device, device, device, overhead}},
        {"torch/a100_rank0_of16.json.gz", {mixed, mixed, mixed, mixed, mixed}},
        {"torch/v100_resnet50_2021.json.gz", {input, input, input, input, input, mixed}},
        {"torch/h100_owlv2_shapes_stack_memory.json.gz", {input}},
    };
    for (const auto& one : expected) {
        const char* const name = one.first;  // clang captures no structured binding
        if (testing::traces_here({name}).empty()) continue;
        const TracePtr trace = testing::load_real_trace(name);
        REQUIRE(trace);
        CAPTURE(name);
        std::vector<StepBound> found;
        for (const StepRow& row : step_times(TraceContext(trace), {}).rows)
            found.push_back(row.bound);
        CHECK(found == one.second);
    }
}
