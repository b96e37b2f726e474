#include "core/analysis/structure/steps.h"

#include <doctest/doctest.h>

#include <array>
#include <random>
#include <string>
#include <vector>

#include "core/analysis/gpu/step_times.h"
#include "core/analysis/structure/time_range.h"
#include "tests/core/analysis/gpu_trace_maker.h"
#include "tests/core/real_traces.h"
#include "tests/core/trace_maker.h"

namespace lanescope {

namespace {

// Steps of a trace with one thread, as "begin-end".
std::vector<std::string> ranges_of(const Steps& steps) {
    std::vector<std::string> ranges;
    for (const Step& step : steps.all)
        ranges.push_back(std::to_string(step.range.begin) + "-" + std::to_string(step.range.end));
    return ranges;
}

Steps steps_of(const std::vector<TestSlice>& slices) {
    TraceMaker maker;
    maker.process("1", "python");
    maker.lane({slices});
    return find_steps(*maker.finish());
}

using Ranges = std::vector<std::string>;

}  // namespace

TEST_CASE("steps: an annotation that covers its work is a step") {
    const Steps steps = steps_of({{0, 10, "train", "user_annotation"},
                                  {0, 2, "Optimizer.step#SGD.step", "user_annotation"},
                                  {12, 8, "train", "user_annotation"},
                                  {20, 9, "train", "user_annotation"}});
    CHECK(steps.source == StepSource::annotation);
    CHECK(ranges_of(steps) == Ranges{"0-10", "12-20", "20-29"});
    CHECK(steps.all[1].slice);
    CHECK(steps.at(0, 10) == kNoRow);
    CHECK(steps.at(0, 19) == 1);
}

TEST_CASE("steps: a short annotation marks where steps begin") {
    const Steps steps = steps_of({{0, 1, "mark", "user_annotation"},
                                  {1, 7, "aten::mm"},
                                  {10, 1, "mark", "user_annotation"},
                                  {22, 1, "mark", "user_annotation"},
                                  {23, 90, "aten::mm"}});
    CHECK(steps.source == StepSource::annotation);
    // The last step is at most as long as the longest step before it.
    CHECK(ranges_of(steps) == Ranges{"0-10", "10-22", "22-34"});
    CHECK_FALSE(steps.all[0].slice);
}

TEST_CASE("steps: batches of serving engines, whatever their number and names") {
    const Steps served = steps_of({{0, 9, "step[EXTEND bs=2 toks=90]", "user_annotation"},
                                   {1, 2, "step[DECODE bs=2]", "user_annotation"},
                                   {1, 1, "mark", "user_annotation"},
                                   {12, 8, "step[DECODE bs=16]", "user_annotation"},
                                   {12, 1, "mark", "user_annotation"},
                                   {13, 1, "mark", "user_annotation"},
                                   {21, 2, "step[DECODE bs=16]", "cpu_op"},
                                   {30, 9, "stepping [x]", "user_annotation"}});
    CHECK(served.source == StepSource::annotation);
    CHECK(ranges_of(served) == Ranges{"0-9", "12-20"});
    CHECK(served.all[1].index == 1);
    const Steps one = steps_of(
        {{3, 4, "execute_context_1(4_16)_generation_0(0)", "user_annotation"}, {4, 1, "aten::mm"}});
    CHECK(ranges_of(one) == Ranges{"3-7"});
    CHECK(steps_of({{3, 4, "execute_new_0_cached_4", "user_annotation"}}).all.size() == 1);
    CHECK(steps_of({{3, 4, "execute_model", "user_annotation"}}).all.empty());
}

// Steps by annotations of 2 µs at 0, 20, 40 and 60 µs, in µs; `work` adds the launches.
template <typename Work>
Ranges dispatched(const std::string& name, const Work& work, int length = 2) {
    testing::GpuTraceMaker maker;
    for (int i = 0; i < 4; ++i) {
        std::string batch = name;
        if (name.ends_with('_')) batch += std::to_string(i);
        maker.call(batch, 20 * i, length, 0, 1, "user_annotation");
    }
    work(maker);
    const TracePtr trace = maker.load();
    Steps steps = find_steps(*trace);
    CHECK(steps.source == StepSource::annotation);
    for (Step& step : steps.all) {
        CHECK(trace->duration(step.mark) == length * 1000);
        CHECK((step.definition() == "period") == step.by_work);
        CHECK(bool(step.slice) == (step.range.length() == length * 1000));
        step.range = {(step.range.begin - trace->origin) / 1000,
                      (step.range.end - trace->origin) / 1000};
    }
    return ranges_of(steps);
}

TEST_CASE("steps: annotations that only time the dispatch last until their GPU work ends") {
    const auto work = [](testing::GpuTraceMaker& maker) {
        maker.call("cudaLaunchKernel", 1, 1, 1)
            .work("k1", 2, 10, 1)
            .call("cudaLaunchKernel", 5, 1, 2)  // after the annotation: sampling
            .work("k2", 12, 3, 2, 8)
            .call("cudaLaunchKernel", 21, 1, 3)
            .work("k3", 22, 30, 3)  // beyond the next begin
            .call("cudaLaunchKernel", 61, 1, 4)
            .work("k4", 70, 29, 4)               // of the last, longer than usual
            .call("cudaLaunchKernel", 81, 1, 5)  // of none
            .work("k5", 99, 30, 5);
    };
    const Ranges expected{"0-15", "20-40", "40-42", "60-99"};
    CHECK(dispatched("execute_new_0_cached_", work) == expected);
    CHECK(dispatched("my batch", work) == expected);
    // Over half of the distance: the annotation is the step.
    CHECK(dispatched("execute_new_0_cached_", work, 10) ==
          Ranges{"0-10", "20-30", "40-50", "60-70"});
    CHECK(dispatched("execute_new_0_cached_", work, 9) ==
          Ranges{"0-15", "20-40", "40-49", "60-99"});
}

TEST_CASE("steps: a single annotation only times the dispatch if its work takes twice as long") {
    const auto end_of = [](int duration) {
        const TracePtr trace =
            testing::GpuTraceMaker()
                .call("execute_context_1(4_16)_generation_0(0)", 0, 10, 0, 1, "user_annotation")
                .call("cudaLaunchKernel", 5, 1, 1)
                .work("k", 6, duration, 1)
                .load();
        const Steps steps = find_steps(*trace);
        REQUIRE(steps.all.size() == 1);
        return (steps.all[0].range.end - trace->origin) / 1000;
    };
    CHECK(end_of(14) == 10);
    CHECK(end_of(15) == 21);
}

TEST_CASE("steps: a server's steps have the GPU time of the work launched in them") {
    testing::GpuTraceMaker maker;
    // Each step's work runs while the next step is dispatched.
    for (int i = 0; i < 4; ++i)
        maker.call("execute_new_0_cached_4", 20 * i, 2, 0, 1, "user_annotation")
            .call("cudaLaunchKernel", 20 * i + 1, 1, i + 1)
            .work("k", 20 * i + 15, 10 + i, i + 1);
    const TracePtr trace = maker.load();
    const StepTimes times = step_times(TraceContext(trace), {});
    REQUIRE(times.rows.size() == 4);
    const Steps steps = find_steps(*trace);
    for (std::size_t i = 0; i < 4; ++i) {
        CHECK(times.rows[i].gpu_busy == static_cast<Nanos>(10 + i) * 1000);
        CHECK(times.rows[i].kernels == 1);
        CHECK(steps.all[i].range.length() == (i < 3 ? 20'000 : 28'000));
    }
}

TEST_CASE("steps: of a vLLM server, 12.2 ms apart and 11 ms on the GPU") {
    const TracePtr trace = testing::load_real_trace("torch/rtx3090_vllm.pt.trace.json.gz");
    if (!trace) return;
    const TraceContext context(trace);
    const Steps& steps = context.get<Steps>();
    const StepTimes times = step_times(context, {});
    REQUIRE(times.rows.size() == 18);
    CHECK(times.durations.p50 / 1e6 == doctest::Approx(11.78).epsilon(0.001));
    for (std::size_t i = 2; i < 17; ++i) {
        CAPTURE(i);
        const Step& step = steps.all[i];
        CHECK(step.definition() == "period");
        CHECK(trace->duration(step.mark) < 1'600'000);
        CHECK(times.rows[i].gpu_busy > 10'200'000);
        CHECK(times.rows[i].gpu_busy < 11'500'000);
        CHECK(times.rows[i].gpu_busy < step.range.length());
        CHECK(times.rows[i].bound == StepBound::device);
        // The server waits for the next request in between.
        CHECK(step.range.end < steps.all[i + 1].range.begin);
    }
    // The last batch is empty.
    CHECK(steps.all[17].range.length() == trace->duration(steps.all[17].mark));
}

TEST_CASE("steps: PyTorch's own annotations mark steps but are none") {
    const char* const load = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__";
    const Steps loaded = steps_of({{0, 6, load, "user_annotation"},
                                   {7, 2, "Optimizer.step#SGD.step", "user_annotation"},
                                   {10, 6, load, "user_annotation"},
                                   {17, 2, "Optimizer.step#SGD.step", "user_annotation"},
                                   {20, 6, load, "user_annotation"},
                                   {27, 2, "Optimizer.step#SGD.step", "user_annotation"}});
    CHECK(loaded.source == StepSource::data_loader);
    CHECK(ranges_of(loaded) == Ranges{"0-10", "10-20", "20-29"});
    const Steps optimised = steps_of({{5, 1, "aten::mm"},
                                      {7, 2, "Optimizer.step#SGD.step", "user_annotation"},
                                      {17, 2, "Optimizer.step#SGD.step", "user_annotation"},
                                      {27, 2, "Optimizer.step#SGD.step", "user_annotation"}});
    CHECK(optimised.source == StepSource::optimizer);
    for (const Steps* const steps : {&loaded, &optimised})
        for (const Step& step : steps->all) {
            CHECK_FALSE(step.mark);
            CHECK(step.definition() == "period");
        }
    CHECK(ranges_of(optimised) == Ranges{"5-9", "9-19", "19-29"});
}

TEST_CASE("steps: operators that repeat") {
    std::vector<TestSlice> slices = {{0, 5, "aten::randn"}};
    for (int i = 0; i < 3; ++i) {
        slices.push_back({10 + 20 * i, 3, "aten::linear"});
        slices.push_back({11 + 20 * i, 1, "aten::addmm"});  // inside the one before
        slices.push_back({13 + 20 * i, 3, "aten::relu"});
        slices.push_back({16 + 20 * i, 3, "aten::linear"});
    }
    const Steps steps = steps_of(slices);
    CHECK(steps.source == StepSource::operators);
    CHECK(ranges_of(steps) == Ranges{"10-30", "30-50", "50-59"});
    CHECK(steps.all[2].index == 2);
    slices.push_back({80, 1, "aten::mean"});
    CHECK(find_steps(Trace()).source == StepSource::none);
    CHECK(steps_of(slices).source == StepSource::none);
    slices.resize(7);  // twice is no repetition
    CHECK(steps_of(slices).all.empty());
}

TEST_CASE("steps: operators that repeat often are steps from the first repetition on") {
    std::vector<TestSlice> slices;
    for (int i = 0; i < 5; ++i) {
        slices.push_back({10 * i, 3, "aten::linear"});
        slices.push_back({10 * i + 4, 3, "aten::relu"});
    }
    CHECK(ranges_of(steps_of(slices)) == Ranges{"0-10", "10-20", "20-30", "30-40", "40-47"});
}

TEST_CASE("steps: a range by number, whatever the steps were found by") {
    struct Expected {
        const char* trace;
        StepSource source;
        std::size_t steps;
        std::size_t step;
        Nanos begin;  // of that step
    };
    const Expected all[] = {
        {"torch_cpu/on_demand.json.gz", StepSource::optimizer, 83, 1, 1'102'467},
        // The first step's call into the loader.
        {"torch/rtx2080ti_resnet.json.gz", StepSource::data_loader, 30, 0, 314'376'000},
    };
    for (const Expected& expected : all) {
        if (testing::traces_here({expected.trace}).empty()) continue;
        CAPTURE(expected.trace);
        const TracePtr trace = testing::load_real_trace(expected.trace);
        REQUIRE(trace);
        const Steps steps = find_steps(*trace);
        CHECK(steps.source == expected.source);
        REQUIRE(steps.all.size() == expected.steps);
        CHECK(steps.all[expected.step].range.begin - trace->origin == expected.begin);
        for (std::size_t i = 1; i < steps.all.size(); ++i)
            CHECK(steps.all[i - 1].range.end == steps.all[i].range.begin);
        const std::string last = std::to_string(expected.steps - 1);
        CHECK(*parse_time_range(TraceContext(trace), "step:" + last) == steps.all.back().range);
        const std::string next = std::to_string(expected.steps);
        const Result<TimeRange> none = parse_time_range(TraceContext(trace), "step:" + next);
        REQUIRE_FALSE(none);
        CHECK(none.error().text ==
              "There is no step " + next + " in this trace; it has 0, 1, 2, 3, 4, 5, 6, 7, ….");
    }
}

TEST_CASE("steps: a cursor and a lookup give the same step for any time") {
    Steps steps;
    // Two processes: one with consecutive steps and a pause, and one whose step begins inside
    // another.
    for (const auto& [process, begin, end] : std::vector<std::array<Nanos, 3>>{
             {1, 10, 20}, {1, 20, 30}, {1, 40, 60}, {1, 45, 50}, {2, 0, 100}, {2, 5, 8}}) {
        Step step;
        step.process = static_cast<uint32_t>(process);
        step.range = {begin, end};
        steps.all.push_back(step);
    }
    StepCursor cursor(steps);
    std::mt19937 random(5);
    int inside = 0;
    for (int i = 0; i < 5000; ++i) {
        const uint32_t process = random() % 4;
        for (Nanos t = static_cast<Nanos>(random() % 110), n = random() % 20; n > 0; --n, t += 2) {
            CHECK(cursor.at(process, t) == steps.at(process, t));
            inside += steps.at(process, t) == kNoRow ? 0 : 1;
        }
    }
    CHECK(inside > 1000);
    const Steps none;
    CHECK(StepCursor(none).at(0, 5) == kNoRow);
}

TEST_CASE("steps: real traces without the profiler's steps") {
    struct Expected {
        const char* name;
        StepSource source;
        std::size_t steps;
    };
    const Expected all[] = {
        {"torch/resnet50_autograd_2020.json.gz", StepSource::data_loader, 6},
        {"torch/rtx3090_vllm.pt.trace.json.gz", StepSource::annotation, 18},
        {"torch_cpu/on_demand.json.gz", StepSource::optimizer, 83},
        {"torch_cpu/convnet_stack.json.gz", StepSource::annotation, 3},
        {"torch_cpu/compiled_with_recompile.json.gz", StepSource::annotation, 4},
        {"torch/a100_alexnet_sync.json.gz", StepSource::none, 0},
        {"torch/vllm_graph_execution.json.gz", StepSource::annotation, 1},
        {"torch/b200_eager_rank0.json.gz", StepSource::annotation, 1},
        {"torch/b300_sglang_overlapping_kernels.json.gz", StepSource::annotation, 1},
        {"torch/mi300_sglang_decode_graph.json.gz", StepSource::annotation, 1},
    };
    for (const Expected& expected : all) {
        if (testing::traces_here({expected.name}).empty()) continue;
        CAPTURE(expected.name);
        const TracePtr trace = testing::load_real_trace(expected.name);
        REQUIRE(trace);
        const Steps steps = find_steps(*trace);
        CHECK(steps.source == expected.source);
        CHECK(steps.all.size() == expected.steps);
        for (const Step& step : steps.all) CHECK(step.range.length() > 0);
    }
}

}  // namespace lanescope
