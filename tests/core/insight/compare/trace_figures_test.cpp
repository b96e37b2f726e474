#include "core/insight/compare/trace_figures.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/analysis/structure/gpu_work.h"
#include "core/analysis/work/step_work.h"
#include "tests/core/analysis/gpu_trace_maker.h"
#include "tests/core/real_traces.h"
#include "tests/core/some_peaks.h"

namespace lanescope {

namespace {

std::string event(const char* category, const std::string& name, int start, int duration,
                  const std::string& arguments = "") {
    return std::string(R"(,{"ph":"X","cat":")") + category + R"(","name":")" + name +
           R"(","pid":100,"tid":1,"ts":)" + std::to_string(start) + R"(,"dur":)" +
           std::to_string(duration) + R"(,"args":{)" + arguments + "}}";
}

std::string convolution(int start, const std::string& dims) {
    return event("cpu_op", "aten::convolution", start, 8, R"("Input Dims":[)" + dims + "]");
}

constexpr const char* kFirst = "[32,3,8,8],[16,3,3,3],[]";
constexpr const char* kSecond = "[32,16,8,8],[16,16,3,3],[]";

// Three steps of 100 µs, each with a product of 2 × 8 × 4 × 16 operations that runs for 20 µs, a
// copy of 10 µs, and the events that `more` returns for the step's number.
template <typename More>
TracePtr three_steps(const More& more) {
    testing::GpuTraceMaker maker;
    std::string text;
    for (int step = 0; step < 3; ++step) {
        const int at = 100 * step;
        maker.call("cudaLaunchKernel", at + 12, 2, 10 * step + 1)
            .work("gemm", at + 20, 20, 10 * step + 1)
            .call("cudaMemcpyAsync", at + 52, 2, 10 * step + 2)
            .work("Memcpy DtoH", at + 60, 10, 10 * step + 2, 7, "gpu_memcpy");
        text += event("user_annotation", "ProfilerStep#" + std::to_string(step), at, 100);
        text += event("cpu_op", "aten::mm", at + 10, 6,
                      R"("Input Dims":[[8,4],[4,16]],"Input type":["float","float"])");
        text += more(step);
    }
    std::string whole = maker.text();
    return testing::loaded(whole.insert(whole.rfind(']'), text));
}

}  // namespace

TEST_CASE("traces: figures of an average step") {
    const TracePtr trace = three_steps([](int step) {
        const int at = 100 * step;
        return convolution(at + 70, kFirst) + convolution(at + 80, kSecond) +
               convolution(at + 90, kSecond);
    });
    const TraceFigures t = trace_figures(TraceContext(trace, testing::some_peaks()), {});
    CHECK(t.steps == 3);
    CHECK(t.time_ns == 100'000);
    CHECK(t.ci95_ns == 0);
    CHECK(t.busy_of_steps == doctest::Approx(0.3));
    CHECK(t.busy_of_span == doctest::Approx(90.0 / 250));
    CHECK(t.kernels == 1);
    CHECK(t.steps_per_second == doctest::Approx(10'000));
    CHECK(t.batch == 32);
    CHECK(t.samples_per_second() == doctest::Approx(320'000));
    CHECK(t.flop == 2 * 8 * 4 * 16);
    CHECK(t.modelled == 1);
    // An fp32 kernel may run as TF32 unless its name says otherwise: 100 × 10^12 a second.
    CHECK(t.hfu == doctest::Approx(1024 / 100e12 / 100e-6));
    CHECK(t.mfu == doctest::Approx(t.hfu));
    CHECK(t.top_operator == "aten::mm");
    CHECK(t.top_operator_share == doctest::Approx(60.0 / 90));
    CHECK(t.peak_memory == kNoValue);
    CHECK(t.devices.empty());

    const Table table = traces_table(std::span(&t, 1));
    REQUIRE(table.row_count() == 1);
    const auto cell = [&](std::string_view name) {
        return table.cell(0, *find_column(kTracesTable, name));
    };
    CHECK(std::get<double>(cell("time_ns")) == 100'000);
    CHECK(std::get<int64_t>(cell("samples_per_step")) == 32);
    CHECK(std::holds_alternative<std::monostate>(cell("peak_memory_bytes")));
    CHECK(std::holds_alternative<std::monostate>(cell("devices")));
    CHECK(table.target(0).range == trace->content);
}

TEST_CASE("traces: the batch size is shown only where shapes leave no doubt") {
    const auto batch_with = [](const auto& more) {
        return trace_figures(TraceContext(three_steps(more)), {}).batch;
    };
    const auto at = [](int step) { return 100 * step; };
    CHECK(batch_with([](int) { return std::string(); }) == kNoValue);
    // Each twice: two batches of 32, or one that every layer processes twice.
    CHECK(batch_with([&](int step) {
              return convolution(at(step) + 70, kFirst) + convolution(at(step) + 80, kFirst);
          }) == kNoValue);
    // Windows of an image are not a batch.
    CHECK(batch_with([&](int step) {
              return convolution(at(step) + 70, kFirst) +
                     convolution(at(step) + 80, "[128,16,8,8],[16,16,3,3],[]");
          }) == kNoValue);
    // The last batch is smaller.
    CHECK(batch_with([&](int step) {
              return convolution(at(step) + 70, step == 2 ? "[7,3,8,8],[16,3,3,3],[]" : kFirst);
          }) == kNoValue);
    CHECK(batch_with([&](int step) {
              return convolution(at(step) + 70, "[3,8,8],[16,3,3,3],[]");
          }) == kNoValue);
    CHECK(batch_with([&](int step) { return convolution(at(step) + 70, kFirst); }) == 32);
}

TEST_CASE("traces: unknown figures are not 0") {
    testing::GpuTraceMaker maker;
    maker.call("main", 0, 50, 0, 1, "cpu_op");
    const TracePtr trace = maker.load();
    const TraceFigures t = trace_figures(TraceContext(trace), {});
    CHECK(t.steps == 0);
    CHECK(t.time_ns == 50'000);
    for (const double unknown :
         {t.ci95_ns, t.busy_of_steps, t.busy_of_span, t.flop, t.modelled, t.hfu, t.mfu,
          t.steps_per_second, t.samples_per_second(), t.kernels})
        CHECK(std::isnan(unknown));
    CHECK(t.peak_memory == kNoValue);
    CHECK(t.top_operator == "main");
    const Table table = traces_table(std::span(&t, 1));
    for (const std::string_view name :
         {"devices", "steps", "ci95_ns", "busy_share_of_steps", "busy_share_of_span",
          "peak_memory_bytes", "flop", "modelled", "hfu", "mfu", "steps_per_second",
          "samples_per_step", "samples_per_second", "kernels"}) {
        CAPTURE(name);
        const Cell cell = table.cell(0, *find_column(kTracesTable, name));
        CHECK(std::holds_alternative<std::monostate>(cell));
    }
    // A range in which no step begins is described as a whole.
    const TracePtr steps = three_steps([](int) { return std::string(); });
    const TraceFigures part = trace_figures(
        TraceContext(steps), {TimeRange{steps->origin + 210'000, steps->origin + 250'000}});
    CHECK(part.steps == 0);
    CHECK(part.time_ns == 40'000);
    CHECK(part.kernels == 1);
}

TEST_CASE("traces: known figures of real traces") {
    const auto figures_of = [](std::string_view name) {
        const TracePtr trace = testing::load_real_trace(name);
        return trace ? trace_figures(TraceContext(trace), {}) : TraceFigures();
    };
    const TraceFigures bert = figures_of("torch/h100_bert_small.json.gz");
    if (bert.file.empty()) return;
    CHECK(bert.steps == 1);
    CHECK(std::isnan(bert.ci95_ns));
    CHECK(bert.busy_of_steps == doctest::Approx(0.070).epsilon(0.005));
    CHECK(bert.busy_of_span == doctest::Approx(0.079).epsilon(0.005));
    CHECK(bert.devices == "NVIDIA H100 80GB HBM3");
    CHECK(bert.batch == kNoValue);
    const TraceFigures owl = figures_of("torch/h100_owlv2_shapes_stack_memory.json.gz");
    CHECK(owl.top_operator == "aten::_softmax");
    CHECK(owl.top_operator_share == doctest::Approx(262.4 / 566.8).epsilon(0.001));
    const TraceFigures nccl = figures_of("torch/v100_memory_nccl.json.gz");
    CHECK(nccl.steps == 5);
    CHECK(nccl.time_ns ==
          doctest::Approx((345.77 + 365.26 + 346.10 + 344.27 + 336.33) / 5 * 1e6).epsilon(1e-4));
    CHECK(nccl.peak_memory == 6'629'508'096);
    CHECK(std::isnan(nccl.flop));
    // torchvision's ResNet-50: 4.089 × 10^9 multiply-adds for an image of 224 × 224, three times
    // that with the backward pass, less the gradient of the image, which nothing needs (0.118 ×
    // 10^9).
    const TraceFigures resnet = figures_of("torch/v100_resnet50_2021.json.gz");
    CHECK(resnet.batch == 32);
    CHECK(resnet.flop == doctest::Approx((3 * 4.089 - 0.118) * 1e9 * 2 * 32).epsilon(0.001));
    CHECK(resnet.samples_per_second() == doctest::Approx(32 * resnet.steps_per_second));
}

// Two ranks in one file; each has a step and a device.
TracePtr merged_ranks() {
    std::string events;
    for (const int rank : {0, 1}) {
        const auto add = [&](const char* category, const char* name, int pid, int start,
                             const std::string& arguments) {
            events += std::string(events.empty() ? "" : ",") + R"({"ph":"X","cat":")" + category +
                      R"(","name":")" + name + R"(","pid":)" + std::to_string(pid) +
                      R"(,"tid":1,"ts":)" + std::to_string(start) + R"(,"dur":50,"args":{)" +
                      arguments + "}}";
        };
        const std::string correlation = R"("correlation":)" + std::to_string(rank + 5);
        add("user_annotation", "ProfilerStep#3", 100 + rank, 0, "");
        add("cuda_runtime", "cudaLaunchKernel", 100 + rank, 10, correlation);
        add("kernel", "gemm", rank, 70,
            correlation + R"(,"stream":7,"device":)" + std::to_string(rank));
    }
    return testing::loaded("{\"traceEvents\":[" + events + "]}");
}

TEST_CASE("traces: a rank's steps count for the rank's devices") {
    std::vector<TracePtr> traces = {merged_ranks()};
    for (const std::string& name :
         testing::traces_here({"torch/mi300_rccl_merged_ranks_140mb.json.gz"}))
        traces.push_back(testing::load_real_trace(name));
    for (const TracePtr& trace : traces) {
        REQUIRE(trace);
        const TraceContext context(trace);
        const StepWorks works = step_works(context, {});
        CHECK(works.all.devices == context.get<GpuDevices>().all.size());
        CHECK(works.all.devices > 1);
        REQUIRE(!works.steps.empty());
        for (const StepWork& step : works.steps) CHECK(step.devices == 1);
    }
}

}  // namespace lanescope
