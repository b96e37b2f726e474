#include "core/analysis/kernels/kernels.h"

#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/analysis/gpu/step_times.h"
#include "core/analysis/structure/steps.h"
#include "tests/core/analysis/gpu_trace_maker.h"
#include "tests/core/analysis/hta_truth.h"
#include "tests/core/real_traces.h"

namespace lanescope {

namespace {

// Of the samples, and of the real traces if there are any.
nlohmann::json evidence() {
    std::ifstream samples(LANESCOPE_ROOT "/tests/data/expected_samples.json");
    REQUIRE(samples);
    nlohmann::json all = nlohmann::json::parse(samples);
    if (testing::has_real_traces()) {
        std::ifstream real(testing::real_trace("expected.json"));
        all.update(nlohmann::json::parse(real));
    }
    return all;
}

double number(const Table& table, std::size_t row, std::string_view column) {
    const Cell cell = table.cell(row, *find_column(table.spec(), column));
    if (const auto* const whole = std::get_if<int64_t>(&cell)) return static_cast<double>(*whole);
    return std::get<double>(cell);
}

struct ExpectedSteps {
    int64_t first;  // N of ProfilerStep#N
    std::vector<double> milliseconds;
    int odd;  // index; -1: none
    uint64_t kernels;
};

void check_steps(const TracePtr& trace, const ExpectedSteps& expected) {
    REQUIRE(trace);
    const TraceContext context(trace);
    const StepTimes times = step_times(context, {});
    REQUIRE(times.rows.size() == expected.milliseconds.size());
    for (std::size_t i = 0; i < times.rows.size(); ++i) {
        const Step& step = context.get<Steps>().all[times.rows[i].step];
        CHECK(step.index == static_cast<int64_t>(i) + expected.first);
        CHECK(static_cast<double>(step.range.length()) / 1e6 ==
              doctest::Approx(expected.milliseconds[i]).epsilon(1e-5 * 2));
        CHECK(times.rows[i].outlier == (static_cast<int>(i) == expected.odd));
        CHECK_FALSE(times.rows[i].warm_up);
        CHECK(times.rows[i].kernels == expected.kernels);
    }
}

// ProfilerStep#2 and following, with one kernel in each.
TracePtr steps_with_kernels(const std::vector<double>& milliseconds) {
    testing::GpuTraceMaker maker;
    int begin = 0;
    for (int i = 0; i < static_cast<int>(milliseconds.size()); ++i) {
        const auto micros =
            static_cast<int>(std::lround(1000 * milliseconds[static_cast<std::size_t>(i)]));
        maker.call("ProfilerStep#" + std::to_string(i + 2), begin, micros, 0, 1, "user_annotation")
            .call("cudaLaunchKernel", begin + 10, 5, i + 1)
            .work("gemm", begin + 20, 100, i + 1);
        begin += micros;
    }
    return maker.load();
}

}  // namespace

TEST_CASE("the cells of a kernel's row equal figures computed by hand") {
    testing::GpuTraceMaker maker;
    int start = 0;
    int correlation = 1;
    for (const int duration : {100, 10, 20, 30, 40, 25, 30, 35, 50, 55}) {
        maker.work("k", start, duration, correlation++);
        start += duration + 5;
    }
    maker.work("Memcpy HtoD", 0, 105, correlation, 8, "gpu_memcpy");
    const TracePtr trace = maker.load();
    const Table table = kernels_table(TraceContext(trace), {});
    REQUIRE(table.row_count() == 2);
    CHECK(std::get<std::string_view>(table.cell(0, *find_column(table.spec(), "kind"))) ==
          "kernel");
    CHECK(std::get<std::string_view>(table.cell(1, *find_column(table.spec(), "kind"))) ==
          "memory");
    CHECK(number(table, 0, "device") == 0);
    CHECK(number(table, 0, "stream") == 7);
    CHECK(number(table, 1, "stream") == 8);
    CHECK(number(table, 0, "calls") == 10);
    CHECK(number(table, 0, "total_ns") == 395'000);
    CHECK(number(table, 0, "share") == doctest::Approx(0.79));
    CHECK(number(table, 0, "mean_ns") == doctest::Approx(39'500));
    CHECK(number(table, 0, "sd_ns") == doctest::Approx(std::sqrt(5672.5e6 / 9)));
    CHECK(number(table, 0, "ci95_ns") ==
          doctest::Approx(2.262157 * std::sqrt(5672.5e6 / 9 / 10)).epsilon(1e-6));
    CHECK(number(table, 0, "min_ns") == 10'000);
    CHECK(number(table, 0, "p50_ns") == doctest::Approx(32'500));
    CHECK(number(table, 0, "p90_ns") == doctest::Approx(59'500));
    CHECK(number(table, 0, "p99_ns") == doctest::Approx(95'950));
    CHECK(number(table, 0, "max_ns") == 100'000);
    CHECK(number(table, 0, "outliers") == 1);
    CHECK(number(table, 0, "warm_up") == 1);
    CHECK(number(table, 0, "drift") == doctest::Approx(2.5));
    CHECK(number(table, 0, "operators") == 0);
}

// The expected sums were counted from the files by other programs.
TEST_CASE("the kernels of all traces add up to the files' sums in every grouping") {
    const nlohmann::json expected = evidence();
    std::size_t compared = 0;
    for (const std::string& name : testing::torch_traces_and_samples()) {
        CAPTURE(name);
        const TracePtr trace = testing::load_real_trace(name);
        REQUIRE(trace);
        int64_t wanted = 0;
        for (const auto& [category, sum] : expected.at(name).at("duration_ns_by_category").items())
            if (is_gpu_activity_category(category)) wanted += sum.get<int64_t>();
        const TraceContext context(trace);
        for (const KernelGrouping grouping : {KernelGrouping::name, KernelGrouping::config}) {
            int64_t total = 0;
            uint64_t calls = 0;
            for (const KernelRow& row : kernel_rows(context, {}, grouping)) {
                total += row.durations.total;
                calls += row.durations.count;
            }
            CHECK(total == wanted);
            CHECK(calls == expected.at(name).at("gpu_activities").get<uint64_t>());
        }
        CHECK(kernels_by_instance_table(context, {}).row_count() ==
              expected.at(name).at("gpu_activities").get<uint64_t>());
        ++compared;
    }
    CHECK(compared >= (testing::has_real_traces() ? 25 : 6));
}

// HTA truncates begin and end to whole µs, so each of its instances is up to 2 µs shorter. These
// are the traces of which it leaves no step out.
TEST_CASE("kernels agree with HTA") {
    const nlohmann::json hta = testing::hta_truth();
    std::size_t compared = 0;
    for (const std::string& name : testing::traces_here(
             {"synthetic_step.json.gz", "torch/h100_bert_small.json.gz",
              "torch/b300_sglang_overlapping_kernels.json.gz", "torch/vllm_graph_execution.json.gz",
              "torch/mi300_sglang_decode_graph.json.gz"})) {
        const TracePtr trace = testing::load_real_trace(name);
        REQUIRE(trace);
        const auto rows = kernel_rows(TraceContext(trace), {}, KernelGrouping::name);
        for (const nlohmann::json& theirs : hta.at(name).at("kernels_top20")) {
            const std::string kernel = theirs.at("name");
            CAPTURE(name);
            CAPTURE(kernel);
            const auto ours = std::find_if(rows.begin(), rows.end(), [&](const KernelRow& row) {
                return trace->strings[row.name] == kernel;
            });
            REQUIRE(ours != rows.end());
            const Distribution& d = ours->durations;
            CHECK(std::abs(d.mean / 1e3 - theirs.at("mean (us)").get<double>()) < 2);
            CHECK(std::abs(static_cast<double>(d.min) / 1e3 - theirs.at("min (us)").get<double>()) <
                  2);
            CHECK(std::abs(static_cast<double>(d.max) / 1e3 - theirs.at("max (us)").get<double>()) <
                  2);
            ++compared;
        }
    }
    CHECK(compared > (testing::has_real_traces() ? 60 : 20));
}

TEST_CASE("a kernel's row lists its launch configuration") {
    struct Flash {
        const char* trace;
        const char* kernel;
        double registers;
        double shared_bytes;
        const char* limiter;
        double waves;
        const char* op;
    };
    // Both: two blocks of four warps, of at most 64, fit a multiprocessor.
    const Flash all[] = {
        {"synthetic_step.json.gz", "synthetic_flash_forward_kernel", 239, 72 * 1024,
         "registers+shared memory", 64.0 / (2 * 40), "aten::_scaled_dot_product_flash_attention"},
        {"torch/h100_bert_small.json.gz", "flash_fwd_kernel", 255, 48 * 1024, "registers",
         16.0 / 264, "aten::_flash_attention_forward"},
    };
    for (const Flash& expected : all) {
        if (testing::traces_here({expected.trace}).empty()) continue;
        CAPTURE(expected.trace);
        const TracePtr trace = testing::load_real_trace(expected.trace);
        REQUIRE(trace);
        const auto rows = kernel_rows(TraceContext(trace), {}, KernelGrouping::name);
        const auto flash = std::find_if(rows.begin(), rows.end(), [&](const KernelRow& row) {
            return trace->strings[row.name].find(expected.kernel) != std::string_view::npos;
        });
        REQUIRE(flash != rows.end());
        CHECK(flash->registers == expected.registers);
        CHECK(flash->shared_bytes == expected.shared_bytes);
        CHECK(flash->occupancy == doctest::Approx(0.125));
        CHECK(flash->limiter == expected.limiter);
        CHECK(flash->waves == doctest::Approx(expected.waves));
        CHECK(trace->name(flash->op) == expected.op);
        double share = 0;
        for (const KernelRow& row : rows) share += row.share;
        CHECK(share == doctest::Approx(1));
    }
}

TEST_CASE("steps have the durations of the file, and the odd one is marked") {
    const std::vector<double> milliseconds = {345.77, 365.26, 346.10, 344.27, 336.33};
    check_steps(steps_with_kernels(milliseconds), {2, milliseconds, 1, 1});
    const std::vector<double> of_sample = {1.621126, 2.82375, 2.593263};
    check_steps(testing::load_real_trace("synthetic_step.json.gz"), {4, of_sample, -1, 73});
    for (const std::string& name : testing::traces_here({"torch/v100_memory_nccl.json.gz"})) {
        const TracePtr trace = testing::load_real_trace(name);
        REQUIRE(trace);
        // A fifth of the file's 19,370 kernels.
        check_steps(trace, {2, milliseconds, 1, 3874});
    }
}

TEST_CASE("the host's time in a step is that of its operators, without waits") {
    const TracePtr trace = testing::GpuTraceMaker()
                               .call("ProfilerStep#1", 0, 100, 0, 1, "user_annotation")
                               .call("aten::mm", 10, 20, 0, 1, "cpu_op")
                               .call("cudaLaunchKernel", 12, 4, 1)
                               .work("k1", 20, 30, 1)
                               .call("aten::item", 40, 20, 0, 1, "cpu_op")
                               .call("cudaStreamSynchronize", 42, 10)
                               .load();
    const StepTimes times = step_times(TraceContext(trace), {});
    REQUIRE(times.rows.size() == 1);
    CHECK(times.rows[0].cpu_self == 20'000 + 10'000);
    CHECK(times.rows[0].gpu_busy == 30'000);
}

TEST_CASE("without a GPU, the bound of a step is unknown") {
    const TracePtr trace =
        testing::load_real_trace("torch_cpu/transformer_train_shapes_memory_flops.json.gz");
    if (!trace) return;
    const TraceContext context(trace);
    const Table table = steps_table(context, {});
    REQUIRE(table.row_count() == 4);
    for (std::size_t row = 0; row < 4; ++row) {
        CHECK(std::holds_alternative<std::monostate>(
            table.cell(row, *find_column(table.spec(), "bound"))));
        CHECK(std::holds_alternative<std::monostate>(
            table.cell(row, *find_column(table.spec(), "gpu_busy_ns"))));
    }
    CHECK(kernels_table(context, {}).row_count() == 0);
}

TEST_CASE("a step whose GPU mostly waits for its host is overhead-bound") {
    const TracePtr made = testing::GpuTraceMaker()
                              .call("ProfilerStep#1", 0, 1000, 0, 1, "user_annotation")
                              .call("aten::mm", 10, 900, 0, 1, "cpu_op")
                              .call("cudaLaunchKernel", 20, 5, 1)
                              .work("gemm", 30, 310, 1)
                              .load();
    const StepTimes times = step_times(TraceContext(made), {});
    REQUIRE(times.rows.size() == 1);
    CHECK(times.rows[0].gpu_busy == 310'000);
    CHECK(times.rows[0].bound == StepBound::overhead);
    for (const std::string& name : testing::traces_here({"torch/h100_bert_small.json.gz"})) {
        const TracePtr trace = testing::load_real_trace(name);
        REQUIRE(trace);
        const StepTimes real = step_times(TraceContext(trace), {});
        REQUIRE(real.rows.size() == 1);
        CHECK(static_cast<double>(real.rows[0].gpu_busy) / 1e3 ==
              doctest::Approx(309.4).epsilon(2e-4));
        CHECK(real.rows[0].bound == StepBound::overhead);
    }
    // The GPU works for most of each step of the sample.
    const TracePtr sample = testing::load_real_trace("synthetic_step.json.gz");
    REQUIRE(sample);
    std::vector<StepBound> bounds;
    for (const StepRow& row : step_times(TraceContext(sample), {}).rows)
        bounds.push_back(row.bound);
    CHECK(bounds == std::vector{StepBound::device, StepBound::device, StepBound::device});
}

}  // namespace lanescope
