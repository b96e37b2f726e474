// Causes that look like others: host input, first calls, edges of a recording, lost records. Each
// has a trace in which it is found, and others in which it must not be.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "core/insight/findings/input_work.h"
#include "core/insight/findings/matrix_kernels.h"
#include "core/insight/findings/rule.h"
#include "tests/core/insight/trace_events.h"

using namespace lanescope;
using lanescope::testing::Events;

namespace {

std::vector<Finding> kinds_in(const Events& events) {
    return find_all(TraceContext(events.load()), {}, {}).all;
}

const Finding* kind_of(const std::vector<Finding>& findings, std::string_view rule) {
    const auto at = std::ranges::find(findings, rule, &Finding::rule);
    return at == findings.end() ? nullptr : &*at;
}

bool says_in_evidence(const Finding* finding, std::string_view text) {
    return finding && std::ranges::any_of(finding->evidence, [&](const FindingEvidence& one) {
               return one.text.find(text) != std::string::npos;
           });
}

constexpr const char* kImages =
    "/opt/lib/transformers/models/vit/image_processing_vit.py(150): preprocess";
constexpr const char* kShape = R"("Input Dims":[[4,4]])";
constexpr const char* kStridedCopy =
    "void at::native::elementwise_kernel<128, 4, "
    "at::native::gpu_kernel_impl_nocast<at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&"
    ")"
    "::{lambda()#1}> >(int)";

// A step of 100 ms: a Python function until 80 ms, then ten kernels without gaps.
Events step_that_begins_with(const std::string& function) {
    Events events;
    events.step(1, 0, 100'000);
    events.call("python_function", function, 500, 80'000);
    for (int i = 0; i < 10; ++i)
        events.kernel("mm", 80'100.0 + 10 * i, 80'200.0 + 1980 * i, 82'180.0 + 1980 * i);
    return events;
}

// Four steps of 1 ms in which the GPU is busy throughout.
Events four_busy_steps(const std::string& device) {
    Events events;
    events.device(device);
    for (int i = 0; i < 4; ++i) {
        events.step(i, 1000.0 * i, 1000.0 * i + 1000);
        events.kernel("other_kernel", 1000.0 * i + 1, 1000.0 * i + 5, 1000.0 * i + 500);
    }
    return events;
}

const std::string kA100 =
    R"("name":"NVIDIA A100-SXM4-80GB","numSms":108,"computeMajor":8,"computeMinor":0)";
const std::string kMi300 =
    R"("name":"AMD Instinct MI300X","numSms":304,"computeMajor":9,"computeMinor":4,"warpSize":64)";

Events steps_with(const std::string& kernel) {
    Events events = four_busy_steps(kA100);
    for (int i = 0; i < 4; ++i)
        events.kernel(kernel, 1000.0 * i + 10, 1000.0 * i + 500, 1000.0 * i + 900);
    return events;
}

// One step in which ten operators launch a kernel each. The first one takes 3 ms.
Events step_with_first_call(const std::string& name, const std::string& later) {
    Events events;
    events.step(1, 0, 10'000);
    events.op(name, 100, 3100, kShape);
    events.kernel("gemm", 3050, 3110, 3200);
    for (int i = 0; i < 9; ++i) {
        events.op(later, 3200.0 + 700 * i, 3250.0 + 700 * i, kShape);
        events.kernel("gemm", 3220.0 + 700 * i, 3250.0 + 700 * i, 3950.0 + 700 * i);
    }
    return events;
}

// A step of 470 ms: a tiny kernel, a gap, and ten kernels that were launched at `launch`.
Events step_with_gap(double launch, double begin) {
    Events events;
    events.step(1, 0, 470'000);
    events.kernel("fill", 1, 10, 15);
    for (int i = 0; i < 10; ++i)
        events.kernel("mm", launch + 10 * i, begin + 700 * i, begin + 700 * (i + 1));
    return events;
}

}  // namespace

TEST_CASE("input that the host prepares is not overhead of launches") {
    const auto findings = kinds_in(step_that_begins_with(kImages));
    const Finding* const finding = kind_of(findings, "input-preparation");
    REQUIRE(finding);
    // The GPU's first work begins at 80.2 ms; before the launch at 80.1 ms the host prepares.
    CHECK(*finding->cost == 80'100'000);
    CHECK(finding->confidence == Confidence::certain);
    CHECK(says_in_evidence(finding, "image_processing_vit.py"));
    CHECK_FALSE(kind_of(findings, "overhead-bound"));
    CHECK_FALSE(kind_of(findings, "python-overhead"));
}

TEST_CASE("a begin of a step whose functions are not known is likely input") {
    const auto findings = kinds_in(step_that_begins_with("serve.py(10): handle"));
    const Finding* const finding = kind_of(findings, "input-preparation");
    REQUIRE(finding);
    CHECK(finding->confidence == Confidence::likely);
}

TEST_CASE("what else holds up the first launch is no input") {
    SUBCASE("the host launches slowly afterwards too") {
        Events events;
        events.step(1, 0, 100'000);
        for (int i = 0; i < 10; ++i)
            events.kernel("mm", 9000.0 * (i + 1), 9000.0 * (i + 1) + 10, 9000.0 * (i + 1) + 20);
        const auto findings = kinds_in(events);
        CHECK_FALSE(kind_of(findings, "input-preparation"));
        CHECK(kind_of(findings, "overhead-bound"));
    }
    SUBCASE("the host is in a call of the runtime") {
        Events events = step_that_begins_with("serve.py(10): handle");
        events.call("cuda_runtime", "cudaMalloc", 600, 79'000);
        CHECK_FALSE(kind_of(kinds_in(events), "input-preparation"));
    }
    SUBCASE("no queue shows that the host launches fast") {
        Events events;
        events.step(1, 0, 100'000);
        events.kernel("mm", 80'000, 80'010, 100'000);
        CHECK_FALSE(kind_of(kinds_in(events), "input-preparation"));
    }
    SUBCASE("torch.compile compiles") {
        Events events = step_that_begins_with("serve.py(10): handle");
        events.call("cpu_op", "_compile.compile_inner (dynamo_timed)", 600, 79'000);
        CHECK_FALSE(kind_of(kinds_in(events), "input-preparation"));
    }
    SUBCASE("the host decodes results behind the GPU's work") {
        Events events;
        events.step(1, 0, 100'000);
        events.kernel("mm", 10, 20, 20'000);
        events.call("python_function", "transformers/tokenization_utils_base.py(9): batch_decode",
                    20'100, 90'000);
        events.kernel("mm", 90'010, 90'020, 100'000);
        CHECK_FALSE(kind_of(kinds_in(events), "input-preparation"));
    }
}

TEST_CASE("functions that prepare input, and others of the same libraries") {
    CHECK(is_input_function(kImages));
    CHECK(is_input_function("PIL/Image.py(2200): resize"));
    CHECK(is_input_function("/x/torchvision/transforms/functional.py(424): resize"));
    CHECK(is_input_function("transformers/tokenization_utils_fast.py(500): _batch_encode_plus"));
    CHECK_FALSE(is_input_function("transformers/tokenization_utils_fast.py(600): _decode"));
    CHECK_FALSE(is_input_function("x/image_processing_owlv2.py(9): post_process_object_detection"));
    CHECK_FALSE(is_input_function("multiprocessing/process.py(108): run"));
    CHECK_FALSE(is_input_function("myPIL/thing.py(1): run"));
    CHECK_FALSE(is_input_function("aten::resize_"));
}

TEST_CASE("copies without an operator count as their kernel does elsewhere") {
    const auto types = [](std::string_view to, std::string_view from) {
        return fmt::format(R"("Input Dims":[[4],[4],[]],"Input type":["{}","{}","Scalar"])", to,
                           from);
    };
    Events events = four_busy_steps(kA100);
    const std::string kernel = "void copy_kernel<a>(int)";
    for (int i = 0; i < 4; ++i) {
        const double begin = 1000.0 * i;
        events.call("cpu_op", "aten::contiguous", begin + 100, begin + 140);
        events.op("aten::copy_", begin + 101, begin + 139, types("float", "float"));
        events.kernel(kernel, begin + 102, begin + 500, begin + 600);
        events.kernel(kernel, begin + 200, begin + 600, begin + 700);
    }
    const auto findings = kinds_in(events);
    const Finding* const finding = kind_of(findings, "redundant-copies");
    REQUIRE(finding);
    CHECK(*finding->cost == 8 * 100'000);
    CHECK(says_in_evidence(finding, "whose operator is not recorded"));
    SUBCASE("not if the kernel also does something else") {
        events.op("aten::copy_", 150, 160, types("float", "float"));
        events.kernel(kernel, 151, 700, 701);
        const auto mixed = kinds_in(events);
        REQUIRE(kind_of(mixed, "redundant-copies"));
        CHECK(*kind_of(mixed, "redundant-copies")->cost == 4 * 100'000);
    }
}

TEST_CASE("copies without any operator count by the name of a strided copy") {
    CHECK(*kind_of(kinds_in(steps_with(kStridedCopy)), "redundant-copies")->cost == 4 * 400'000);
    for (const std::string name :
         {"void at::native::vectorized_elementwise_kernel<4, "
          "at::native::direct_copy_kernel_cuda>()",
          "void at::native::unrolled_elementwise_kernel<at::native::direct_copy_kernel_cuda>()",
          "void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl_nocast<"
          "at::native::BinaryFunctor<float> > >(int)"})
        CHECK_FALSE(kind_of(kinds_in(steps_with(name)), "redundant-copies"));
}

TEST_CASE("aten::_to_copy to the same type changes the layout") {
    Events events = four_busy_steps(kA100);
    for (int i = 0; i < 4; ++i) {
        const double begin = 1000.0 * i;
        events.call("cpu_op", "aten::_to_copy", begin + 100, begin + 140);
        events.op("aten::copy_", begin + 101, begin + 139,
                  R"("Input Dims":[[4],[4],[]],"Input type":["float","float","Scalar"])");
        events.kernel("void copy_kernel<a>(int)", begin + 102, begin + 500, begin + 600);
    }
    const auto findings = kinds_in(events);
    CHECK(kind_of(findings, "redundant-copies"));
    CHECK_FALSE(kind_of(findings, "dtype-casts"));
}

TEST_CASE("names of libraries' kernels that only change the layout") {
    CHECK(is_layout_kernel("void cudnn::ops::nchwToNhwcKernel<__half, __half, float>(int)"));
    CHECK(is_layout_kernel("void cutlass::nchw_to_nhwc_kernel<half_t>(int)"));
    CHECK(is_layout_kernel("void cudnn::nhwcToFoldedNhwcKernel<__half>(int)"));
    CHECK_FALSE(is_layout_kernel("sm80_xmma_fprop_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc"));
}

TEST_CASE("products with ffma in their name run in 32 bits on plain units") {
    const auto findings = kinds_in(steps_with(
        "sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize64x64x8_stage3_warpsize1x4x1_ffma_aligna4_"
        "alignc4_execute_kernel__5x_cublas"));
    const Finding* const finding = kind_of(findings, "no-tensor-cores");
    REQUIRE(finding);
    // 19.5 TFLOP/s in 32 bits, 156 in TF32.
    CHECK(static_cast<double>(*finding->cost) ==
          doctest::Approx(4 * 400'000 * (1 - 19.5 / 156)).epsilon(1e-4));
    for (const std::string name :
         {"sm80_xmma_gemm_f32f32_tf32f32_f32_tn_n_tilesize64x64x32_stage3_warpsize2x2x1_"
          "tensor16x8x8_execute_kernel__5x_cublas",
          "sm80_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize64x64x64_execute_kernel__5x_cublas",
          "void gemv2T_kernel_val<int, int, float, float, float, float, 128, 16, 4, 4>(int)"})
        CHECK_FALSE(kind_of(kinds_in(steps_with(name)), "no-tensor-cores"));
}

TEST_CASE("the first call of an operator costs what it takes beyond the others") {
    const auto findings = kinds_in(step_with_first_call("aten::addmm", "aten::addmm"));
    const Finding* const finding = kind_of(findings, "first-step-costs");
    REQUIRE(finding);
    CHECK(*finding->cost == 2'950'000);  // 3 ms without the median of 50 µs
    CHECK(finding->confidence == Confidence::likely);
    CHECK(says_in_evidence(finding, "aten::addmm, which usually takes 50 µs"));
}

TEST_CASE("an operator without other calls counts if code is loaded in it") {
    Events events = step_with_first_call("aten::mm", "aten::addmm");
    CHECK_FALSE(kind_of(kinds_in(events), "first-step-costs"));
    events.on_thread(0, "overhead", "Lazy Function Loading", 2000, 2100);
    const auto findings = kinds_in(events);
    const Finding* const finding = kind_of(findings, "first-step-costs");
    REQUIRE(finding);
    CHECK(*finding->cost == 3'000'000);
    CHECK(finding->confidence == Confidence::certain);
}

TEST_CASE("slow calls that are no first calls, or in which the profiler works") {
    SUBCASE("the profiler works") {
        Events events = step_with_first_call("aten::addmm", "aten::addmm");
        events.on_thread(0, "overhead", "Activity Buffer Request", 150, 3000);
        CHECK_FALSE(kind_of(kinds_in(events), "first-step-costs"));
    }
    SUBCASE("a later call is slow") {
        Events events;
        events.step(1, 0, 10'000);
        for (int i = 0; i < 9; ++i) {
            const double begin = 10.0 + 60 * i;
            events.op("aten::addmm", begin, begin + 50, kShape);
            events.kernel("gemm", begin + 20, begin + 30, begin + 60);
        }
        events.op("aten::addmm", 1000, 9000, kShape);
        events.kernel("gemm", 8900, 9000, 10'000);
        CHECK_FALSE(kind_of(kinds_in(events), "first-step-costs"));
    }
}

TEST_CASE("few blocks are found by the grid alone") {
    const auto with = [](int blocks, double length) {
        Events events = four_busy_steps(kMi300);
        for (int i = 0; i < 4; ++i)
            events.launch("batch_norm", 1000.0 * i + 10, 1000.0 * i + 500,
                          1000.0 * i + 500 + length,
                          fmt::format(R"("grid":[{},1,1],"block":[256,1,1])", blocks));
        return kinds_in(events);
    };
    const auto findings = with(76, 400);
    const Finding* const finding = kind_of(findings, "low-waves");
    REQUIRE(finding);
    CHECK(*finding->cost == 4 * 300'000);  // three quarters of 400 µs
    CHECK_FALSE(kind_of(with(304, 400), "low-waves"));
    CHECK_FALSE(kind_of(with(76, 9), "low-waves"));
    CHECK_FALSE(kind_of(kinds_in(steps_with("batch_norm")), "low-waves"));
}

TEST_CASE("a file with GPU work only says that it lacks the host") {
    Events events;
    for (int i = 0; i < 10; ++i) events.kernel_without_launch("mm", 1000.0 * i, 1000.0 * i + 900);
    const auto findings = kinds_in(events);
    const Finding* const finding = kind_of(findings, "trace-problems");
    REQUIRE(finding);
    CHECK(finding->title == "Not recorded: the host's side");
    events.on_thread(1, "user_annotation", "work", 0, 10'000);
    CHECK_FALSE(kind_of(kinds_in(events), "trace-problems"));
}

TEST_CASE("pageable copies between the steps are input of the steps") {
    const auto with = [](const std::string& name, double begin) {
        Events events;
        for (int i = 0; i < 4; ++i) {
            const double step = 1200.0 * i + 10'000;
            events.step(i, step, step + 1000);
            events.kernel("mm", step + 1, step + 5, step + 999);
            events.kernel(name, step + begin, step + begin + 10, step + begin + 110, "gpu_memcpy");
        }
        return kinds_in(events);
    };
    const std::string pageable = "Memcpy HtoD (Pageable -> Device)";
    const auto findings = with(pageable, 1020);
    const Finding* const finding = kind_of(findings, "pageable-copies");
    REQUIRE(finding);
    CHECK(*finding->cost == 3 * 100'000);  // the last one is behind the steps
    CHECK(says_in_evidence(finding, "of it between the steps"));
    CHECK_FALSE(kind_of(with("Memcpy HtoD (Pinned -> Device)", 1020), "pageable-copies"));
    CHECK_FALSE(kind_of(with(pageable, 500), "pageable-copies"));     // beside a kernel
    CHECK_FALSE(kind_of(with(pageable, -9'000), "pageable-copies"));  // long before the steps
}

TEST_CASE("a gap at the edge of a recording is no time of its only step") {
    const auto findings = kinds_in(step_with_gap(20, 463'000));
    CHECK_FALSE(kind_of(findings, "overhead-bound"));
    CHECK(says_in_evidence(kind_of(findings, "trace-problems"), "leave out a gap of 463 ms"));
    SUBCASE("the host launches late") {
        CHECK(kind_of(kinds_in(step_with_gap(462'900, 463'000)), "overhead-bound"));
    }
    SUBCASE("much work lies before it") {
        Events events = step_with_gap(20, 463'000);
        events.kernel("mm", 2, 15, 5000);
        CHECK(kind_of(kinds_in(events), "overhead-bound"));
    }
    SUBCASE("the program works in it") {
        const auto during_gap = [](const char* category, const char* name) {
            Events events = step_with_gap(20, 463'000);
            events.call(category, name, 130, 462'000);
            return says_in_evidence(kind_of(kinds_in(events), "trace-problems"), "leave out");
        };
        CHECK_FALSE(during_gap("python_function", "data.py(7): load"));
        CHECK_FALSE(during_gap("cpu_op", "aten::sort"));
        CHECK_FALSE(during_gap("cuda_runtime", "cudaLaunchHostFunc"));
        CHECK(during_gap("python_function", "torch/profiler/profiler.py(7): start"));
        CHECK(during_gap("cuda_runtime", "cudaDeviceSynchronize"));
    }
    SUBCASE("the trace has another step") {
        Events events = step_with_gap(20, 463'000);
        events.step(2, 470'000, 940'000);
        events.kernel("mm", 470'001, 470'005, 939'000);
        CHECK_FALSE(says_in_evidence(kind_of(kinds_in(events), "trace-problems"), "leave out"));
    }
}

TEST_CASE("nothing is said of idle time where GPU work is missing") {
    const auto with_lost = [](int lost) {
        Events events;
        events.step(1, 0, 10'000);
        for (int i = 0; i < 40; ++i)
            events.kernel("mm", 200.0 * i + 100, 200.0 * i + 110, 200.0 * i + 120);
        for (int i = 0; i < lost; ++i)
            events.call("cuda_runtime", "cudaLaunchKernel", 200.0 * i + 130, 200.0 * i + 135);
        return kinds_in(events);
    };
    CHECK(kind_of(with_lost(1), "overhead-bound"));
    const auto findings = with_lost(10);
    CHECK_FALSE(kind_of(findings, "overhead-bound"));
    CHECK_FALSE(kind_of(findings, "tiny-kernels"));
    CHECK(says_in_evidence(kind_of(findings, "trace-problems"), "10 of 50 launches"));
}

TEST_CASE("nothing is said of idle time while graphs are captured") {
    Events events;
    events.step(1, 0, 10'000);
    events.kernel("fill", 10, 20, 30);
    events.call("cuda_runtime", "cudaStreamBeginCapture", 100, 110);
    for (int i = 0; i < 20; ++i)
        events.call("cuda_runtime", "cudaLaunchKernel", 200.0 + 400 * i, 205.0 + 400 * i);
    events.call("cuda_runtime", "cudaStreamEndCapture", 9000, 9010);
    events.kernel("fill", 9100, 9110, 9120);
    const auto findings = kinds_in(events);
    CHECK_FALSE(kind_of(findings, "overhead-bound"));
    CHECK(says_in_evidence(kind_of(findings, "trace-problems"), "captures CUDA graphs for 8.9 ms"));
}
