#include "core/analysis/structure/device_steps.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "core/analysis/gpu/step_times.h"
#include "core/analysis/kernels/kernels.h"
#include "core/analysis/structure/attribution.h"
#include "core/analysis/structure/gpu_work.h"
#include "core/analysis/structure/time_range.h"
#include "tests/core/analysis/gpu_trace_maker.h"
#include "tests/core/real_traces.h"

using namespace lanescope;
using lanescope::testing::GpuTraceMaker;

namespace {

constexpr Nanos kMs = 1'000'000;

// `steps` steps of 10 ms, each with one kernel of `work` ms. The first kernel begins after `lag`
// ms; the others follow each other, but none begins before its launch.
GpuTraceMaker loop(int steps, int work, int lag, int first_step = 1) {
    GpuTraceMaker maker;
    int free = lag * 1000;
    for (int i = 0; i < steps; ++i) {
        const int begin = i * 10'000;
        maker.call("ProfilerStep#" + std::to_string(first_step + i), begin, 10'000, 0, 1,
                   "user_annotation");
        maker.call("cudaLaunchKernel", begin + 100, 10, i + 1);
        const int start = std::max(free, begin + 200);
        maker.work("k", start, work * 1000, i + 1);
        free = start + work * 1000;
    }
    return maker;
}

std::vector<Nanos> device_times(const TraceContext& context) {
    std::vector<Nanos> times;
    for (const DeviceStep& step : context.get<DeviceSteps>().all)
        times.push_back(step.has_work ? step.device.length() : -1);
    return times;
}

StepPace pace_of(const TraceContext& context) {
    const Steps& steps = context.get<Steps>();
    return context.get<DeviceSteps>().pace[steps.all.front().process];
}

}  // namespace

TEST_CASE("if the host runs ahead, a step takes what its work takes on the device") {
    const TraceContext context(loop(4, 25, 1).load());
    const Steps& steps = context.get<Steps>();
    const DeviceSteps& device_steps = context.get<DeviceSteps>();
    CHECK(pace_of(context) == StepPace::ahead);
    CHECK(device_times(context) == std::vector<Nanos>(4, 25 * kMs));
    CHECK(device_steps.step_of_work == std::vector<uint32_t>{0, 1, 2, 3});
    const StepTimes times = step_times(context, {});
    CHECK(times.durations.p50 == 25 * kMs);
    for (const StepRow& row : times.rows) {
        CHECK(row.time == 25 * kMs);
        CHECK(row.gpu_busy == 25 * kMs);
        CHECK(row.kernels == 1);
        CHECK(row.bound == StepBound::device);
        CHECK(device_steps.time(steps, row.step) == row.time);
    }
    // Kernel 2 runs from 51 to 76 ms, while the host is in no step.
    const Result<ParsedQuery> third = parse_query(context, "step:3");
    REQUIRE(third);
    CHECK(third->query.range->length() == 10 * kMs);
    CHECK(third->query.device_range()->begin - context.trace().origin == 51 * kMs);
    CHECK(third->query.device_range()->length() == 25 * kMs);
    const std::vector<KernelRow> rows = kernel_rows(context, third->query, KernelGrouping::name);
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].durations.count == 1);
    CHECK(rows[0].longest.index == 2);
    const Result<TimeRange> shown = parse_shown_range(context, "step:3");
    REQUIRE(shown);
    CHECK(*shown == TimeRange{third->query.range->begin, third->query.device_range()->end});
}

TEST_CASE("if the device only is behind, the figures of a step are of its own work") {
    const TraceContext context(loop(5, 10, 8).load());
    CHECK(pace_of(context) == StepPace::behind);
    for (const StepRow& row : step_times(context, {}).rows) {
        CHECK(row.time == 10 * kMs);
        CHECK(row.parts.whole == 10 * kMs);
        CHECK(row.parts.busy == 10 * kMs);
    }
    // The last step ends on the host at 50 ms, its work at 58 ms.
    const DeviceStep& last = context.get<DeviceSteps>().all.back();
    CHECK(last.window.end - context.trace().origin == 58 * kMs);
}

TEST_CASE("work that ends with the step on the host changes nothing") {
    const TraceContext context(loop(4, 9, 0).load());
    CHECK(pace_of(context) == StepPace::with_host);
    const Steps& steps = context.get<Steps>();
    for (uint32_t i = 0; i < 4; ++i)
        CHECK(context.get<DeviceSteps>().all[i].window == steps.all[i].range);
}

TEST_CASE("work that begins when the steps have ended leaves the GPU idle in all of them") {
    const TraceContext context(loop(3, 1, 200).load());
    CHECK(pace_of(context) == StepPace::late);
    for (const StepRow& row : step_times(context, {}).rows) {
        CHECK(row.time == 10 * kMs);
        CHECK(row.parts.busy == kMs);
        CHECK(row.parts.overhead == 9 * kMs);
        CHECK(row.bound == StepBound::overhead);
    }
}

TEST_CASE("a single step whose work goes on takes as long as its work") {
    const TraceContext context(loop(1, 30, 1).load());
    CHECK(pace_of(context) == StepPace::ahead);
    CHECK(step_times(context, {}).rows[0].time == 30 * kMs);
}

TEST_CASE("the last of detected steps lasts until its work has ended, but no longer than usual") {
    // Products of 15 ms; the host waits for each before the next call.
    GpuTraceMaker waiting;
    for (int i = 0; i < 5; ++i) {
        waiting.call("aten::mm", i * 16'000, 30, 0, 1, "cpu_op");
        waiting.call("cudaLaunchKernel", i * 16'000 + 10, 5, i + 1);
        waiting.work("gemm", i * 16'000 + 50, 15'000, i + 1);
        waiting.call("cudaDeviceSynchronize", i * 16'000 + 40, 15'010);
    }
    const TraceContext context(waiting.load());
    REQUIRE(context.get<Steps>().source == StepSource::operators);
    CHECK(pace_of(context) == StepPace::with_host);
    CHECK(context.get<Steps>().all.back().range.length() == 15 * kMs + 50'000);
    // The same calls without waiting: the host runs ahead.
    GpuTraceMaker ahead;
    for (int i = 0; i < 5; ++i) {
        ahead.call("aten::mm", i * 32, 30, 0, 1, "cpu_op");
        ahead.call("cudaLaunchKernel", i * 32 + 10, 5, i + 1);
        ahead.work("gemm", 50 + i * 15'000, 15'000, i + 1);
    }
    const TraceContext running(ahead.load());
    CHECK(running.get<Steps>().all.back().range.length() == 32'000);
    for (const StepRow& row : step_times(running, {}).rows) CHECK(row.time == 15 * kMs);
}

TEST_CASE("a pause between annotated steps belongs to no step on the device either") {
    // Steps of 6 ms every 10 ms, with work of 8 ms each that begins with the step.
    GpuTraceMaker maker;
    for (int i = 0; i < 4; ++i) {
        maker.call("train", i * 10'000, 6'000, 0, 1, "user_annotation");
        maker.call("cudaLaunchKernel", i * 10'000 + 10, 10, i + 1);
        maker.work("k", i * 10'000 + 50, 8'000, i + 1);
    }
    const TraceContext context(maker.load());
    REQUIRE(context.get<Steps>().source == StepSource::annotation);
    const std::vector<Nanos> times = device_times(context);
    CHECK(times.front() == 8 * kMs);
    for (std::size_t i = 1; i < times.size(); ++i) CHECK(times[i] == 8 * kMs + 50'000);
}

TEST_CASE("work without a recorded launch belongs to a step by its time on the device") {
    GpuTraceMaker maker = loop(4, 25, 1);
    maker.work("unknown", 60'000, 1'000, 99, 8);  // in the time of the third step's work
    const TraceContext context(maker.load());
    const DeviceSteps& device_steps = context.get<DeviceSteps>();
    CHECK(device_steps.by_time == 1);
    CHECK(std::ranges::count(device_steps.step_of_work, 2U) == 2);
    // Without any launch, the time on the host decides.
    GpuTraceMaker alone;
    for (int i = 0; i < 3; ++i) {
        alone.call("ProfilerStep#" + std::to_string(i), i * 1000, 1000, 0, 1, "user_annotation");
        alone.work("k", i * 1000 + 100, 800, 50 + i);
    }
    alone.work("after", 5000, 10, 60);
    const TraceContext without(alone.load());
    CHECK(without.get<DeviceSteps>().step_of_work == std::vector<uint32_t>{0, 1, 2, kNoRow});
    CHECK(without.get<DeviceSteps>().by_time == 3);
}

TEST_CASE("of several devices, the one that takes longest counts") {
    std::string text = R"([{"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","pid":9,)"
                       R"("tid":1,"ts":0,"dur":100},{"ph":"X","cat":"user_annotation",)"
                       R"("name":"ProfilerStep#2","pid":9,"tid":1,"ts":100,"dur":100})";
    const auto add = [&](int launch, int device, int start, int duration, int correlation) {
        const std::string id = std::to_string(correlation);
        text +=
            R"(,{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":9,"tid":1,"ts":)" +
            std::to_string(launch) + R"(,"dur":1,"args":{"correlation":)" + id + "}}";
        text += R"(,{"ph":"X","cat":"kernel","name":"k","pid":)" + std::to_string(device) +
                R"(,"tid":7,"ts":)" + std::to_string(start) + R"(,"dur":)" +
                std::to_string(duration) + R"(,"args":{"stream":7,"device":)" +
                std::to_string(device) + R"(,"correlation":)" + id + "}}";
    };
    add(10, 0, 20, 100, 1);
    add(11, 1, 20, 180, 2);
    add(110, 0, 130, 300, 3);
    add(111, 1, 210, 100, 4);
    const TraceContext context(testing::loaded(text + "]"));
    CHECK(device_times(context) == std::vector<Nanos>{180'000, 310'000});
}

TEST_CASE("a number that occurs in several recorded windows is told apart") {
    GpuTraceMaker maker;
    int correlation = 0;
    for (const int base : {0, 500'000, 1'000'000})
        for (int i = 0; i < 3; ++i) {
            const int begin = base + i * 10'000;
            maker.call("ProfilerStep#" + std::to_string(5 + i), begin, 10'000 + base / 1000, 0, 1,
                       "user_annotation");
            maker.call("cudaLaunchKernel", begin + 10, 5, ++correlation);
            maker.work("k", begin + 20, 5'000, correlation);
        }
    const TracePtr trace = maker.load();
    const TraceContext context(trace);
    const Steps& steps = context.get<Steps>();
    REQUIRE(steps.all.size() == 9);
    for (uint32_t i = 0; i < 9; ++i) {
        CHECK(steps.all[i].window == 1 + i / 3);
        CHECK(steps.all[i].index == 5 + i % 3);
    }
    CHECK(step_label(*trace, steps, 4) == "ProfilerStep#6@2");
    const Nanos origin = trace->origin;
    const Result<ParsedQuery> first = parse_query(context, "step:6");
    REQUIRE(first);
    CHECK(first->query.range->begin - origin == 10 * kMs);
    CHECK(
        first->note ==
        "Step 6 occurs in 3 recorded windows; step:6 is that of window 1, step:6@2 the next one.");
    const Result<ParsedQuery> second = parse_query(context, "step:6@2");
    REQUIRE(second);
    CHECK(second->query.range->begin - origin == 510 * kMs);
    CHECK(second->note.empty());
    CHECK(std::ranges::count(second->query.work->rows, true) == 1);
    // The end of a range is in the window of its begin.
    CHECK(parse_time_range(context, "step:5@2..7")->end - origin == 530 * kMs + 500'000);
    CHECK(std::ranges::count(parse_query(context, "step:5@2..7")->query.work->rows, true) == 3);
    CHECK(parse_time_range(context, "step:6@4").error().text ==
          "There is no step 6 in a recorded window 4 of this trace.");
    // A window's first step on the device does not include the time before it.
    for (const Nanos time : device_times(context)) CHECK(time <= 10 * kMs);
    CHECK(total_length(between_windows(steps, steps.all[0].process)) > 900 * kMs);
}

TEST_CASE("of every trace, work belongs to the step of its launch, and steps follow each other") {
    for (const std::string& name : testing::traces_of_slow_tests(1)) {
        const TracePtr trace = testing::load_real_trace(name);
        if (!trace) return;
        CAPTURE(name);
        const TraceContext context(trace);
        const Steps& steps = context.get<Steps>();
        const DeviceSteps& device_steps = context.get<DeviceSteps>();
        const std::vector<SliceRef>& launch = context.get<Attribution>().launch;
        std::map<uint32_t, Nanos> last;  // by step: the end of its work
        for (uint32_t row = 0; row < launch.size(); ++row) {
            const uint32_t step = device_steps.step_of_work[row];
            if (launch[row])
                REQUIRE(step == steps.at(trace->lanes[launch[row].lane].process,
                                         trace->start(launch[row])));
            if (step == kNoRow) continue;
            Nanos& end = last.try_emplace(step, INT64_MIN).first->second;
            end = std::max(end, trace->slice_end(trace->gpu_activities.slice[row]));
        }
        for (uint32_t i = 0; i < steps.all.size(); ++i) {
            const DeviceStep& one = device_steps.all[i];
            REQUIRE(one.has_work == last.contains(i));
            if (!one.has_work) continue;
            CHECK(one.device.begin <= one.device.end);
            CHECK(one.work.end <= last.at(i));
            CHECK(one.window.length() > 0);
        }
    }
}
