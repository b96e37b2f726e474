// Triton kernels of Inductor as PyTorch's profiler records them (texts of version 2.15:
// 0.012583424, 1.2583424e-05, 0), with the requested estimates beside the arguments.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <string>

#include "core/analysis/work/models.h"
#include "core/analysis/work/step_work.h"
#include "core/analysis/work/work_models.h"
#include "tests/core/ingest/loaded_text.h"
#include "tests/core/some_peaks.h"

using namespace lanescope;

namespace {

// One launch of `name` that reads two bf16 matrices of 1024 × 1024 and writes a third: 6 MiB.
TraceContext launched(std::string_view name, std::string_view arguments) {
    const std::string text = fmt::format(
        R"({{"traceEvents":[
{{"ph":"X","cat":"cpu_op","name":"{}","pid":1,"tid":1,"ts":1000,"dur":50,"args":{{"External id":1,
"Input Dims":[[1024,1024],[1024,1024],[1024,1024],[]],
"Input type":["c10::BFloat16","c10::BFloat16","c10::BFloat16","Scalar"],
"Concrete Inputs":["","","","1048576"],"kernel_backend":"triton","num_warps":8{}}}}},
{{"ph":"X","cat":"cuda_runtime","name":"cuLaunchKernel","pid":1,"tid":1,"ts":1010,"dur":5,
"args":{{"correlation":1}}}},
{{"ph":"X","cat":"kernel","name":"{}","pid":0,"tid":7,"ts":1020,"dur":100,
"args":{{"device":0,"stream":7,"correlation":1}}}}]}})",
        name, arguments, name);
    return TraceContext(testing::loaded(text), testing::some_peaks());
}

constexpr int64_t kPointers = 3 * 1024 * 1024 * 2;

const Work& work_of_first(const TraceContext& context) {
    REQUIRE(context.get<WorkModels>().instances.size() == 1);
    return context.get<WorkModels>().work(context.get<WorkModels>().instances[0]);
}

}  // namespace

TEST_CASE(
    "without estimates, a Triton kernel transfers its pointers' arrays; its operations are "
    "unknown") {
    const TraceContext context = launched("triton_poi_fused_add_0", "");
    const Work& work = work_of_first(context);
    CHECK(work.bytes_read.n == kPointers);
    CHECK(work.flops.n == kNoValue);
    CHECK(work.quality == Quality::inferred);
    CHECK(!work.product);
}

TEST_CASE("Inductor's estimates are a Triton kernel's work, and are marked as estimates") {
    const TraceContext context = launched(
        "triton_tem_fused_mm_1", R"(,"kernel_num_gb":0.004194304,"kernel_flop":2147483648)");
    const Work& work = work_of_first(context);
    CHECK(work.bytes_read.n == 4'194'304);
    CHECK(work.flops.n == 2'147'483'648);
    CHECK(work.type == DataType::bf16);
    CHECK(work.pipe == Pipe::tensor);
    CHECK(work.quality == Quality::inferred);
    CHECK(work.note == "bytes and operations as Inductor estimates them");
    // They count for the device's utilisation.
    const Table steps = models_by_step_table(context, {});
    CHECK(std::get<int64_t>(steps.cell(0, *find_column(steps.spec(), "flop"))) == 2'147'483'648);
    // Times are relative to the trace's origin, which is not 0 here.
    REQUIRE(context.trace().origin > 0);
    const TimeRange range = steps.target(0).range;
    CHECK(std::get<int64_t>(steps.cell(0, *find_column(steps.spec(), "start_ns"))) ==
          range.begin - context.trace().origin);
    const Table table = models_table(context, {});
    const auto cell = [&](std::string_view name) {
        return table.cell(0, *find_column(table.spec(), name));
    };
    CHECK(std::get<int64_t>(cell("bytes")) == 4'194'304);
    CHECK(std::holds_alternative<std::monostate>(cell("bytes_read")));
    CHECK(std::holds_alternative<std::monostate>(cell("bytes_written")));
    CHECK(std::get<std::string_view>(cell("quality")) == "inferred");
    CHECK(std::get<std::string_view>(cell("note")) == work.note);
    const ModelledOperator& op = context.get<WorkModels>().instances[0];
    CHECK(op.bound == WorkBound::compute);
    CHECK(op.floor_ns > 0);
}

TEST_CASE("an estimate of 0 is ignored") {
    const TraceContext bytes_only = launched(
        "triton_poi_fused_add_0", R"(,"kernel_num_gb":0.0031457280000000001,"kernel_flop":0)");
    CHECK(work_of_first(bytes_only).bytes_read.n == 3'145'728);
    CHECK(work_of_first(bytes_only).flops.n == kNoValue);
    CHECK(work_of_first(bytes_only).note == "bytes as Inductor estimates them");
    const TraceContext nothing =
        launched("triton_poi_fused_add_0", R"(,"kernel_num_gb":0.,"kernel_flop":0)");
    CHECK(work_of_first(nothing).bytes_read.n == kPointers);
    CHECK(work_of_first(nothing).flops.n == kNoValue);
}

TEST_CASE("estimates for other sizes are ignored") {
    // One kernel's estimate is at most each pointer read and written once.
    const TraceContext template_kernel = launched(
        "triton_tem_fused_mm_1", R"(,"kernel_num_gb":0.012582912,"kernel_flop":2147483648)");
    CHECK(work_of_first(template_kernel).bytes_read.n == 2 * kPointers);
    const TraceContext more = launched("triton_tem_fused_mm_1",
                                       R"(,"kernel_num_gb":0.012582913,"kernel_flop":2147483648)");
    CHECK(work_of_first(more).bytes_read.n == kPointers);
    CHECK(work_of_first(more).flops.n == kNoValue);
}

TEST_CASE("a Triton kernel with any name has a model if it has estimates") {
    CHECK(work_of_first(launched("my_kernel", R"(,"kernel_num_gb":0.001)")).bytes_read.n ==
          1'000'000);
    CHECK(launched("my_kernel", "").get<WorkModels>().instances.empty());
}

TEST_CASE("estimates that are not numbers are ignored") {
    CHECK(parse_estimate("0.012583424", "0").bytes == 12'583'424);
    CHECK(parse_estimate("1.2583424e-05", "").bytes == 12'583);
    CHECK(parse_estimate("3.", "").bytes == 3'000'000'000);
    CHECK(parse_estimate("", "7").flop == 7);
    CHECK(parse_estimate("", "7.").flop == 7);
    CHECK(parse_estimate("", "9223372036854775807").flop == INT64_MAX);
    for (const char* const text : {"", "None", "-1", "nan", "inf", "1e300", "0.", "5 GB", "0x5"}) {
        CAPTURE(text);
        CHECK(!parse_estimate(text, text).any());
    }
}
