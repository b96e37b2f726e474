#include "core/insight/summary/summary.h"

#include <doctest/doctest.h>

#include <cmath>
#include <set>
#include <string>

#include "core/analysis/gpu/synchronisations.h"
#include "core/analysis/structure/steps.h"
#include "tests/core/analysis/gpu_trace_maker.h"
#include "tests/core/insight/trace_events.h"
#include "tests/core/real_traces.h"

namespace lanescope {

namespace {

bool mentions(const Summary& summary, StoryKind kind) {
    for (const StoryPoint& point : summary.story)
        if (point.kind == kind) return true;
    return false;
}

// Nanoseconds with the precision of a report's figure: half a unit of its last digit to each side.
void check_near(Nanos value, double expected, double tolerance) {
    CHECK(static_cast<double>(value) == doctest::Approx(expected).epsilon(tolerance / expected));
}

const GapCalls* find_calls(const Trace& trace, const GapStory& gap, std::string_view name) {
    for (const GapCalls& calls : gap.calls)
        if (trace.strings[calls.name] == name) return &calls;
    return nullptr;
}

}  // namespace

TEST_CASE("summary: a host that launches too slowly") {
    const TracePtr trace = testing::load_real_trace("torch/h100_bert_small.json.gz");
    if (!trace) return;
    const Summary summary = summarise(TraceContext(trace), {});
    REQUIRE(summary.devices.size() == 1);
    const SummaryDevice& device = summary.devices.front();
    check_near(device.time.busy, 309'400, 50);
    check_near(device.time.span, 3'907'800, 50);
    CHECK(static_cast<double>(device.busy_in_steps) / static_cast<double>(device.steps) ==
          doctest::Approx(0.070).epsilon(0.01));
    CHECK(device.deepest_queue == 1);
    REQUIRE(device.causes.size() == 1);
    CHECK(device.causes.front().cause == GapCause::host);
    CHECK(mentions(summary, StoryKind::idle_cause));
    REQUIRE(device.gaps.size() >= 3);
    check_near(device.gaps[0].gap.range.length(), 247'600, 50);
    check_near(device.gaps[1].gap.range.length(), 218'400, 50);
    check_near(device.gaps[2].gap.range.length(), 153'900, 50);
    CHECK(trace->name(device.gaps[2].op_before) == "aten::is_nonzero");
}

TEST_CASE("summary: ten seconds in a few calls") {
    const TracePtr trace = testing::load_real_trace("torch/a100_alexnet_sync.json.gz");
    if (!trace) return;
    const Summary summary = summarise(TraceContext(trace), {});
    REQUIRE(summary.devices.size() == 1);
    const SummaryDevice& device = summary.devices.front();
    CHECK(mentions(summary, StoryKind::few_gaps));
    CHECK(mentions(summary, StoryKind::pageable_copies));
    CHECK(device.pageable_copies == 16);
    check_near(device.pageable_copy_time, 55.5e6, 50'000);
    check_near(device.time.busy, 66.1e6, 50'000);
    const GapStory& gap = device.gaps.front();
    check_near(gap.gap.range.length(), 10.03e9, 5e6);
    CHECK(trace->name(gap.around.slice) == "aten::cudnn_convolution");
    const GapCalls* freed = find_calls(*trace, gap, "cudaFree");
    REQUIRE(freed);
    REQUIRE(freed->longest.size() == 2);
    check_near(freed->longest[0].inside, 6.01e9, 5e6);
    check_near(freed->longest[1].inside, 0.53e9, 5e6);
    const GapCalls* launched = find_calls(*trace, gap, "cudaLaunchKernel");
    REQUIRE(launched);
    check_near(launched->total, 3.06e9, 5e6);
    CHECK(launched->loads_kernel);
    for (const std::size_t i : {1, 2}) CHECK(find_calls(*trace, device.gaps[i], "cudaMalloc"));
    check_near(device.gaps[1].gap.range.length(), 1.04e9, 5e6);
    check_near(device.gaps[2].gap.range.length(), 0.82e9, 5e6);
}

// Compared with the table.
TEST_CASE("summary: the calls that wait for the GPU, and the work that takes most of its time") {
    for (const std::string& name : testing::traces_here(
             {"synthetic_step.json.gz", "torch/a100_alexnet_sync.json.gz",
              "torch/h100_owlv2_shapes_stack_memory.json.gz", "torch/h100_bert_small.json.gz"})) {
        const TracePtr trace = testing::load_real_trace(name);
        if (!trace) return;
        CAPTURE(name);
        const TraceContext context(trace);
        const SummaryWaits waits = summarise(context, {}).waits;
        uint64_t calls = 0;
        Nanos total = 0;
        for (const Synchronisation& sync : context.get<AllSynchronisations>().rows) {
            if (sync.cause == SyncCause::profiler) continue;
            ++calls;
            total += trace->duration(sync.call);
        }
        CHECK(calls > 0);
        CHECK(waits.calls + waits.copies == calls);
        CHECK(waits.calls_total + waits.copies_total == total);
        const Table by_cause = synchronisations_by_cause_table(context, {});
        std::size_t row = 0;
        while (std::get<std::string_view>(by_cause.cell(row, 0)) == "profiler") ++row;
        CHECK(std::get<std::string_view>(by_cause.cell(row, 0)) == sync_cause_name(waits.cause));
        CHECK(std::get<int64_t>(by_cause.cell(row, 2)) ==
              static_cast<int64_t>(waits.largest_calls));
        CHECK(std::get<int64_t>(by_cause.cell(row, 3)) == waits.largest);
    }
}

// Counted independently: 80 stream synchronisations take 358.8 ms of host time.
TEST_CASE("summary: the waiting calls of a trace that waits in each step") {
    const TracePtr trace = testing::load_real_trace("torch/h100_owlv2_shapes_stack_memory.json.gz");
    if (!trace) return;
    const SummaryWaits waits = summarise(TraceContext(trace), {}).waits;
    CHECK(waits.calls >= 80);
    CHECK(waits.calls_total >= 358'750'000);
}

TEST_CASE("summary: a data loader that delays the GPU") {
    const TracePtr trace = testing::load_real_trace("torch/rtx2080ti_resnet.json.gz");
    if (!trace) return;
    const Summary summary = summarise(TraceContext(trace), {});
    REQUIRE(summary.devices.size() == 1);
    const SummaryDevice& device = summary.devices.front();
    CHECK(mentions(summary, StoryKind::bound));
    CHECK_FALSE(mentions(summary, StoryKind::few_gaps));
    CHECK(device.bound == StepBound::input);
    CHECK(device.bound_steps == summary.steps.all.size() - summary.steps.warm_up);
    check_near(device.time.span, 14.52e9, 5e6);
    CHECK(static_cast<double>(device.time.busy) / static_cast<double>(device.time.span) ==
          doctest::Approx(0.326).epsilon(0.002));
    CHECK(device.pageable_copies == 61);
    check_near(device.pageable_copy_time, 629.8e6, 50'000);
    check_near(device.gaps[0].gap.range.length(), 2.25e9, 5e6);
    check_near(device.gaps[0].around.inside, 1.94e9, 5e6);
    CHECK(is_data_loading(trace->name(device.gaps[0].around.slice)));
    check_near(device.gaps[1].gap.range.length(), 1.85e9, 5e6);
    const GapCalls* freed = find_calls(*trace, device.gaps[1], "cudaFree");
    REQUIRE(freed);
    check_near(freed->total, 1.05e9, 5e6);
    const GapCalls* launched = find_calls(*trace, device.gaps[1], "cudaLaunchKernel");
    REQUIRE(launched);
    check_near(launched->total, 0.73e9, 5e6);
}

TEST_CASE("summary: exposed communication, an odd step, a peak of memory") {
    const TracePtr trace = testing::load_real_trace("torch/v100_memory_nccl.json.gz");
    if (!trace) return;
    const TraceContext context(trace);
    const Summary summary = summarise(context, {});
    REQUIRE(summary.collectives.size() == 1);
    const SummaryCollectives& reduce = summary.collectives.front();
    CHECK(reduce.type == CollectiveType::all_reduce);
    CHECK(reduce.calls == 2'020);
    check_near(reduce.total, 357.3e6, 50'000);
    CHECK(reduce.exposed == reduce.total);
    CHECK(mentions(summary, StoryKind::exposed_communication));
    check_near(summary.devices.front().time.busy, 1000.6e6, 50'000);
    check_near(summary.devices.front().time.span, 1733.0e6, 50'000);
    REQUIRE(summary.steps.all.size() == 5);
    CHECK(mentions(summary, StoryKind::odd_step));
    const double milliseconds[] = {345.77, 365.26, 346.10, 344.27, 336.33};
    for (std::size_t i = 0; i < 5; ++i) {
        const Step& step = context.get<Steps>().all[summary.steps.all[i].step];
        check_near(step.range.length(), milliseconds[i] * 1e6, 5'000);
        CHECK(summary.steps.all[i].outlier == (step.index == 3));
    }
    CHECK(summary.steps.median == doctest::Approx(345.77e6).epsilon(1e-5));
    REQUIRE(!summary.memory.empty());
    const SummaryMemory& memory = summary.memory.front();
    CHECK(memory.peak == 6'629'508'096);
    CHECK(memory.device_id == 1);
    int64_t held = memory.earlier;
    for (const SummaryHolder& holder : memory.holders) held += holder.bytes;
    CHECK(held <= memory.peak);
    CHECK(!memory.holders.empty());
}

TEST_CASE("summary: operators of a trace without a GPU") {
    const TracePtr trace =
        testing::load_real_trace("torch_cpu/transformer_train_shapes_memory_flops.json.gz");
    if (!trace) return;
    const Summary summary = summarise(TraceContext(trace), {});
    REQUIRE(summary.story.size() == 2);
    CHECK(summary.story[0].kind == StoryKind::no_gpu_work);
    CHECK(summary.story[1].kind == StoryKind::top_operator);
    CHECK(summary.devices.empty());
    CHECK(!summary.operators_by_device);
    REQUIRE(summary.operators.size() == 3);
    CHECK(trace->strings[summary.operators.front().name] == "aten::mm");
    CHECK(summary.operators.front().calls == 72);
    CHECK(!summary.operators.front().shapes.empty());
    REQUIRE(summary.memory.size() == 1);
    CHECK(summary.memory.front().peak == 1'364'632);
}

TEST_CASE("summary: a busy GPU gets no reason for idle time") {
    testing::GpuTraceMaker maker;
    for (int i = 0; i < 5; ++i)
        maker.call("cudaLaunchKernel", i, 1, i + 1).work("k", 10 + 10 * i, i == 2 ? 8 : 10, i + 1);
    const Summary summary = summarise(TraceContext(maker.load()), {});
    REQUIRE(summary.story.size() == 2);
    CHECK(summary.story[0].kind == StoryKind::gpu_busy);
    CHECK(summary.story[1].kind == StoryKind::top_kernel);
    const SummaryDevice& device = summary.devices.front();
    CHECK(device.gap_count == 1);
    CHECK(device.kernels == 5);
    CHECK(device.deepest_queue == 5);
    CHECK(device.causes.front().cause == GapCause::launch_latency);
    CHECK(device.causes.front().total == 2'000);
}

TEST_CASE("summary: the story is about the most idle of the GPUs that work, not of a minor one") {
    for (const double work : {1.0, 30.0}) {
        CAPTURE(work);
        testing::Events events;
        for (int i = 0; i < 4; ++i) {
            const double begin = 1000 * i;
            events.step(i, begin, begin + 1000);
            events.kernel("on the first", begin + 1, begin + 10, begin + 210);
            events.kernel("on the second", begin + 2, begin + 20, begin + 20 + work, "kernel", 1);
        }
        const Summary summary = summarise(TraceContext(events.load()), {});
        REQUIRE(summary.devices.size() == 2);
        REQUIRE(summary.devices[1].time.idle > summary.devices[0].time.idle);
        CHECK(summary.story.front().device == (work < 20 ? 0 : 1));
    }
}

TEST_CASE("summary: the story's bound is that of the steps, as their table has it") {
    for (const std::string& name : testing::traces_of_slow_tests(1)) {
        const TracePtr trace = testing::load_real_trace(name);
        if (!trace) return;
        CAPTURE(name);
        const TraceContext context(trace);
        const Summary summary = summarise(context, {});
        for (const SummaryDevice& device : summary.devices) {
            const BoundTimes& times = device.bound_times;
            CHECK(device.bound == step_bound(times));
            CHECK(times.busy + times.data_loading + times.overhead <= times.whole);
            if (device.bound_steps == 0) CHECK(times.whole == device.time.span);
            // All steps of one kind make a sum of this kind.
            std::set<StepBound> bounds;
            for (const SummaryStep& step : summary.steps.all)
                if (!step.warm_up) bounds.insert(step.bound);
            if (device.bound_steps > 0 && bounds.size() == 1)
                CHECK(device.bound == *bounds.begin());
        }
    }
}

TEST_CASE("summary: without steps, the span of the GPU has a bound") {
    testing::GpuTraceMaker maker;
    for (int i = 0; i < 5; ++i)
        maker.call("cudaLaunchKernel", 95 * i, 2, i + 1).work("k", 5 + 95 * i, 80, i + 1);
    const Summary summary = summarise(TraceContext(maker.load()), {});
    const SummaryDevice& device = summary.devices.front();
    CHECK(device.overhead == 4 * 15'000);
    CHECK(device.bound_steps == 0);
    CHECK(device.bound_times.whole == 460'000);
    CHECK(device.bound == StepBound::device);
    CHECK_FALSE(mentions(summary, StoryKind::bound));
}

// Gaps of 80, 10 and 10 us. With a nanosecond more in the last one, the longest no longer suffices.
TEST_CASE("summary: a few gaps are those that make up at least 80 % of the idle time") {
    testing::GpuTraceMaker maker;
    const int starts[] = {0, 90, 110, 130};
    for (int i = 0; i < 4; ++i)
        maker.call("cudaLaunchKernel", starts[i] - 5, 2, i + 1).work("k", starts[i], 10, i + 1);
    std::string text = maker.text();
    const auto few = [](const std::string& events) {
        for (const StoryPoint& point : summarise(TraceContext(testing::loaded(events)), {}).story)
            if (point.kind == StoryKind::few_gaps) return point.count;
        return uint32_t{0};
    };
    CHECK(few(text) == 1);
    const std::string last = "\"ts\":130,";
    text.replace(text.find(last), last.size(), "\"ts\":130.001,");
    CHECK(few(text) == 2);
}

TEST_CASE("summary: an empty range and an empty trace") {
    const TracePtr trace =
        testing::GpuTraceMaker().call("cudaLaunchKernel", 0, 1, 1).work("k", 10, 10, 1).load();
    TableQuery query;
    query.range = TimeRange{trace->origin + 2'000, trace->origin + 3'000};
    const Summary summary = summarise(TraceContext(trace), query);
    REQUIRE(summary.story.size() == 1);
    CHECK(summary.story.front().kind == StoryKind::no_gpu_work);
    CHECK(summary.devices.front().time.span == 0);
    CHECK(summary.kernels.empty());
    CHECK(std::isnan(summary.steps.median));
    const Summary none = summarise(TraceContext(std::make_shared<Trace>()), {});
    CHECK(none.story.front().kind == StoryKind::no_gpu_work);
    CHECK(none.lanes.empty());
}

}  // namespace lanescope
