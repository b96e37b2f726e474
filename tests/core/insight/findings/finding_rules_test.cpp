// Rules about kernels, the host and memory, on small traces with known answers.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/insight/findings/matrix_kernels.h"
#include "core/insight/findings/rule.h"
#include "tests/core/insight/trace_events.h"

using namespace lanescope;
using lanescope::testing::Events;

namespace {

std::vector<Finding> findings_in(const Events& events) {
    return find_all(TraceContext(events.load()), {}, {}).all;
}

const Finding* finding_of(const std::vector<Finding>& findings, std::string_view rule) {
    const auto at = std::ranges::find(findings, rule, &Finding::rule);
    return at == findings.end() ? nullptr : &*at;
}

// Four steps of 1 ms in which the GPU is busy throughout.
Events busy_steps() {
    Events events;
    for (int i = 0; i < 4; ++i) {
        events.step(i, 1000.0 * i, 1000.0 * i + 1000);
        events.kernel("other_kernel", 1000.0 * i + 1, 1000.0 * i + 5, 1000.0 * i + 500);
    }
    return events;
}

constexpr const char* kV100 =
    R"("name":"Tesla V100-SXM2-16GB","numSms":80,"computeMajor":7,"computeMinor":0,)"
    R"("totalGlobalMem":17179869184)";

}  // namespace

TEST_CASE("products in 32 bits cost what tensor cores would save") {
    Events events = busy_steps();
    events.device(kV100);
    for (int i = 0; i < 4; ++i)
        events.kernel("volta_sgemm_128x64_nn", 1000.0 * i + 10, 1000.0 * i + 500, 1000.0 * i + 900);
    const auto findings = findings_in(events);
    const Finding* const finding = finding_of(findings, "no-tensor-cores");
    REQUIRE(finding);
    // 15.7 TFLOP/s in 32 bits, 125 on tensor cores.
    CHECK(static_cast<double>(*finding->cost) ==
          doctest::Approx(4 * 400'000 * (1 - 15.7 / 125)).epsilon(1e-4));
    CHECK(finding->confidence == Confidence::likely);
    CHECK(finding->advice.find("16 bits") != std::string::npos);
}

TEST_CASE("a device whose rates are not known has no cost") {
    Events events = busy_steps();
    for (int i = 0; i < 4; ++i)
        events.kernel("volta_sgemm_128x64_nn", 1000.0 * i + 10, 1000.0 * i + 500, 1000.0 * i + 900);
    const auto findings = findings_in(events);
    const Finding* const finding = finding_of(findings, "no-tensor-cores");
    REQUIRE(finding);
    CHECK_FALSE(finding->cost);
    CHECK(finding->confidence == Confidence::possible);
}

TEST_CASE("products on tensor cores are no finding") {
    Events events = busy_steps();
    events.device(kV100);
    for (int i = 0; i < 4; ++i)
        events.kernel("volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_nn", 1000.0 * i + 10,
                      1000.0 * i + 500, 1000.0 * i + 900);
    CHECK_FALSE(finding_of(findings_in(events), "no-tensor-cores"));
}

TEST_CASE("names of kernels that only change the layout") {
    CHECK(is_layout_kernel("void nchwToNhwcKernel<float, float, float>(int)"));
    CHECK(is_layout_kernel("batched_transpose_32x32_half"));
    CHECK_FALSE(is_layout_kernel("void cutlass::Kernel<cutlass_80_tensorop_s1688gemm>(int)"));
    CHECK_FALSE(is_layout_kernel("slow_conv_transpose3d"));
    CHECK_FALSE(is_layout_kernel("void elementwise_kernel<128, Transpose>(int)"));
}

TEST_CASE("a kernel with few blocks costs the share of empty multiprocessors") {
    Events events = busy_steps();
    events.device(kV100);
    const auto grid = [](int blocks) {
        return fmt::format(
            R"("grid":[{},1,1],"block":[128,1,1],"registers per thread":32,"shared memory":0)",
            blocks);
    };
    for (int i = 0; i < 4; ++i) {
        events.launch("sum", 1000.0 * i + 10, 1000.0 * i + 500, 1000.0 * i + 700, grid(20));
        events.launch("wide", 1000.0 * i + 12, 1000.0 * i + 700, 1000.0 * i + 900, grid(80));
        events.launch("multimem_all_reduce_kernel", 1000.0 * i + 14, 1000.0 * i + 900,
                      1000.0 * i + 990, grid(8));
    }
    const auto findings = findings_in(events);
    const Finding* const finding = finding_of(findings, "low-waves");
    REQUIRE(finding);
    CHECK(*finding->cost == 4 * 150'000);  // three quarters of 200 µs
    CHECK(finding->title.starts_with("4 kernels"));
}

TEST_CASE("casts and copies are told apart by the recorded types") {
    Events events = busy_steps();
    const auto types = [](std::string_view to, std::string_view from) {
        return fmt::format(
            R"("Input Dims":[[4],[4],[]],"Input type":["{}","{}","Scalar"],"External id":1)", to,
            from);
    };
    for (int i = 0; i < 4; ++i) {
        const double begin = 1000.0 * i;
        events.op("aten::copy_", begin + 100, begin + 110, types("c10::BFloat16", "float"));
        events.kernel("elementwise_kernel", begin + 101, begin + 500, begin + 600);
        events.call("cpu_op", "aten::contiguous", begin + 120, begin + 140);
        events.op("aten::copy_", begin + 121, begin + 139, types("float", "float"));
        events.kernel("elementwise_kernel", begin + 122, begin + 600, begin + 650);
        events.op("aten::copy_", begin + 150, begin + 160, types("float", "float"));
        events.kernel("elementwise_kernel", begin + 151, begin + 650, begin + 990);
    }
    const auto findings = findings_in(events);
    const Finding* const casts = finding_of(findings, "dtype-casts");
    REQUIRE(casts);
    CHECK(*casts->cost == 4 * 100'000);
    CHECK(casts->confidence == Confidence::certain);
    const Finding* const copies = finding_of(findings, "redundant-copies");
    REQUIRE(copies);
    CHECK(*copies->cost == 4 * 50'000);
    CHECK(copies->evidence[0].text == "in 4 activities launched by aten::contiguous");
}

TEST_CASE("neighbours in a chain of elementwise kernels save a third each") {
    Events events = busy_steps();
    const auto dims = [](int n) {
        return fmt::format(R"("Input Dims":[[{},8],[]],"Input type":["float","Scalar"])", n);
    };
    for (int i = 0; i < 4; ++i) {
        const double begin = 1000.0 * i;
        const int sizes[] = {64, 64, 64, 32};
        for (int k = 0; k < 4; ++k) {
            events.op("aten::mul", begin + 100 + 10 * k, begin + 109 + 10 * k, dims(sizes[k]));
            events.kernel("vectorized_elementwise_kernel", begin + 101 + 10 * k,
                          begin + 500 + 90 * k, begin + 590 + 90 * k);
        }
    }
    const auto findings = findings_in(events);
    const Finding* const finding = finding_of(findings, "elementwise-chains");
    REQUIRE(finding);
    // The first three kernels take 90 µs each and form a chain: fusion saves 30, 60 and 30 µs.
    // The fourth kernel has another size.
    CHECK(*finding->cost == 4 * 120'000);
    CHECK(finding->title.starts_with("4 chains"));
}

TEST_CASE("slow launches of one kernel cost what is beyond the median") {
    Events events = busy_steps();
    for (int i = 0; i < 20; ++i) {
        const double begin = 200.0 * i;
        const double length = i % 5 == 4 ? 100 : 20;
        events.op("aten::mul", begin + 1, begin + 15,
                  R"("Input Dims":[[64]],"Input type":["float"])");
        events.launch(
            "steady", begin + 8, begin + 30, begin + 30 + length,
            R"("grid":[100,1,1],"block":[128,1,1],"registers per thread":32,"shared memory":0)");
    }
    const auto findings = findings_in(events);
    const Finding* const finding = finding_of(findings, "kernel-variance");
    REQUIRE(finding);
    CHECK(*finding->cost == 4 * 80'000);
    CHECK(finding->places.size() == 4);
}

TEST_CASE("work that checkpointing runs again, but not its backward nodes") {
    Events events = busy_steps();
    for (int i = 0; i < 4; ++i) {
        const double begin = 1000.0 * i;
        events.call("cpu_op", "CheckpointFunctionBackward", begin + 100, begin + 200);
        events.call("cpu_op", "aten::mm", begin + 110, begin + 120);
        events.kernel("again", begin + 111, begin + 500, begin + 600);
        events.call("cpu_op", "autograd::engine::evaluate_function: MmBackward0", begin + 130,
                    begin + 190);
        events.kernel("backward", begin + 140, begin + 600, begin + 900);
    }
    const auto findings = findings_in(events);
    const Finding* const finding = finding_of(findings, "recompute");
    REQUIRE(finding);
    CHECK(*finding->cost == 4 * 100'000);
}

TEST_CASE("the host's idle time is divided between Python and autograd's engine") {
    Events events;
    for (int i = 0; i < 4; ++i) {
        const double begin = 1000.0 * i;
        events.step(i, begin, begin + 1000);
        events.call("cpu_op", "aten::mm", begin + 1, begin + 10);
        events.call("python_function", "train.py(7): step", begin, begin + 1000);
        events.kernel("first", begin + 2, begin + 10, begin + 100);
        // 300 µs in no operator; 200 in the engine; 100 in an operator that it calls.
        events.call("cpu_op", "autograd::engine::evaluate_function: MmBackward0", begin + 400,
                    begin + 700);
        events.call("cpu_op", "MmBackward0", begin + 600, begin + 700);
        events.kernel("second", begin + 690, begin + 700, begin + 1000);
    }
    const auto findings = findings_in(events);
    const Finding* const python = finding_of(findings, "python-overhead");
    const Finding* const engine = finding_of(findings, "autograd-overhead");
    REQUIRE(python);
    REQUIRE(engine);
    CHECK(*engine->cost == 4 * 200'000);
    // Also the first microsecond of each step, but for the first step.
    CHECK(*python->cost >= 4 * 300'000);
    CHECK(*python->cost <= 4 * 302'000);
    CHECK(python->confidence == Confidence::certain);
    CHECK(python->part_of == "overhead-bound");
    CHECK(engine->part_of == "overhead-bound");
}

TEST_CASE("memory that grows, is nearly full, or is held without use") {
    const auto steps_with = [](std::vector<std::pair<int, int>> peaks) {
        Events events = busy_steps();
        events.device(kV100);
        for (std::size_t i = 0; i < peaks.size(); ++i)
            events.memory(1000.0 * static_cast<double>(i) + 300, peaks[i].first, peaks[i].second);
        return findings_in(events);
    };
    const auto growing = steps_with({{1000, 2000}, {1100, 2000}, {1200, 2000}, {1300, 2000}});
    const Finding* const growth = finding_of(growing, "memory-growth");
    REQUIRE(growth);
    CHECK(growth->cost_kind == CostKind::bytes);
    CHECK_FALSE(growth->cost);
    CHECK(growth->title.find("100 MiB") != std::string::npos);
    CHECK_FALSE(finding_of(growing, "near-capacity"));
    CHECK_FALSE(finding_of(growing, "fragmentation"));
    // One step does not grow, or the growth is below the threshold.
    CHECK_FALSE(
        finding_of(steps_with({{1000, 1}, {1100, 1}, {1100, 1}, {1300, 1}}), "memory-growth"));
    CHECK_FALSE(
        finding_of(steps_with({{1000, 1}, {1002, 1}, {1004, 1}, {1006, 1}}), "memory-growth"));

    const auto full = steps_with({{14000, 15000}, {14000, 15000}, {14000, 15000}, {14000, 15000}});
    CHECK(finding_of(full, "near-capacity"));
    CHECK_FALSE(finding_of(full, "fragmentation"));
    const auto holes = steps_with({{7000, 10000}, {7000, 10000}, {7000, 10000}, {7000, 10000}});
    CHECK(finding_of(holes, "fragmentation"));
    CHECK_FALSE(finding_of(holes, "near-capacity"));
}

TEST_CASE("most idle time in one gap is not a matter of launches") {
    Events events;
    events.step(0, 0, 10000);
    events.kernel("a", 1, 10, 100);
    events.kernel("b", 9000, 9010, 9900);
    const auto findings = findings_in(events);
    const Finding* const finding = finding_of(findings, "overhead-bound");
    REQUIRE(finding);
    CHECK(finding->title.find("most of it in one gap of 8.91 ms") != std::string::npos);
    CHECK(finding->advice.find("CUDA graph") == std::string::npos);
}

TEST_CASE("a rank that waits for a later one is found, with the time that it waits") {
    Events events;
    for (int i = 0; i < 4; ++i) {
        const double begin = 1000.0 * i;
        events.step(i, begin, begin + 1000);
        for (int device = 0; device < 2; ++device)
            events.kernel("compute", begin + 1 + device, begin + 5, begin + 300 + 300 * device,
                          "kernel", device);
        // GPU 0 arrives 300 µs before GPU 1; both end together.
        events.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", begin + 10, begin + 300,
                      begin + 700, "kernel", 0);
        events.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", begin + 12, begin + 600,
                      begin + 700, "kernel", 1);
    }
    const auto findings = findings_in(events);
    const Finding* const finding = finding_of(findings, "late-rank");
    REQUIRE(finding);
    CHECK(*finding->cost == 4 * 300'000);
    CHECK(finding->title ==
          "In 4 collectives this GPU waits 1.2 ms for GPUs that arrive later, mostly for GPU 1");
    CHECK(finding->part_of == "comm-exposed");
    CHECK(std::ranges::count(findings, std::string_view("late-rank"), &Finding::rule) == 1);
}

TEST_CASE("a slow kernel of which few warps fit on a multiprocessor") {
    Events events = busy_steps();
    events.device(
        R"("name":"NVIDIA A100-SXM4-80GB","numSms":108,"computeMajor":8,"computeMinor":0)");
    const auto launch = [&](const std::string& name, double begin, int registers) {
        events.launch(
            name, begin + 101, begin + 500, begin + 900,
            fmt::format(R"("grid":[1000,1,1],"block":[128,1,1],"registers per thread":{},)"
                        R"("shared memory":0)",
                        registers));
    };
    const std::string dims =
        R"("Input Dims":[[1000000],[]],"Input type":["float","Scalar"],"External id":7)";
    for (int i = 0; i < 4; ++i) {
        events.op("aten::mul", 1000.0 * i + 100, 1000.0 * i + 110, dims);
        launch("my_elementwise", 1000.0 * i, 255);
    }
    const auto findings = findings_in(events);
    const Finding* const finding = finding_of(findings, "low-occupancy");
    REQUIRE(finding);
    // 8 MB at 2039 GB/s take 3.9 of 400 µs.
    CHECK(static_cast<double>(*finding->cost) ==
          doctest::Approx(4 * (400'000 - 8e6 / 2.039e3)).epsilon(2e-3));
}

TEST_CASE("kernels that fill the multiprocessors together leave none empty") {
    Events events = busy_steps();
    events.device(kV100);
    const std::string half =
        R"("grid":[40,1,1],"block":[128,1,1],"registers per thread":32,"shared memory":0)";
    for (int i = 0; i < 4; ++i) {
        events.launch("left", 1000.0 * i + 10, 1000.0 * i + 500, 1000.0 * i + 900, half);
        events.launch("right", 1000.0 * i + 12, 1000.0 * i + 500, 1000.0 * i + 900, half);
    }
    CHECK_FALSE(finding_of(findings_in(events), "low-waves"));
}

TEST_CASE("each place of Python's idle time is on the thread that launches next") {
    Events events;
    for (int i = 0; i < 4; ++i) {
        const double begin = 1000.0 * i;
        events.step(i, begin, begin + 1000);
        events.op("aten::mm", begin + 10, begin + 20, "");
        events.kernel("forward", begin + 12, begin + 20, begin + 320);
        events.on_thread(2, "cpu_op", "aten::mm_backward", begin + 610, begin + 620);
        events.kernel_of(2, "backward", begin + 612, begin + 620, begin + 800);
    }
    const TracePtr trace = events.load();
    const auto findings = find_all(TraceContext(trace), {}, {}).all;
    const Finding* const finding = finding_of(findings, "python-overhead");
    REQUIRE(finding);
    // The GPU idles for 290 µs before the backward kernel, and for at most 210 µs before each
    // forward kernel. The 200 µs after the last kernel belong to the thread that launched it.
    std::set<std::string_view> threads;
    for (const FindingPlace& place : finding->places) {
        const std::string_view tid = trace->strings[trace->lanes[place.lane].tid];
        const Nanos length = place.range.length();
        CHECK(tid == (length == 290'000 || length == 200'000 ? "2" : "1"));
        threads.insert(tid);
    }
    CHECK(threads.size() == 2);
}

TEST_CASE("an idle thread of autograd is not in Python") {
    Events events;
    for (int i = 0; i < 4; ++i) {
        const double begin = 1000.0 * i;
        events.step(i, begin, begin + 1000);
        events.kernel("first", begin + 2, begin + 10, begin + 100);
        // 600 µs in which this thread has nothing to do.
        events.call("cpu_op", "autograd::engine::evaluate_function: MmBackward0", begin + 690,
                    begin + 710);
        events.kernel("second", begin + 695, begin + 700, begin + 1000);
    }
    const auto findings = findings_in(events);
    CHECK(finding_of(findings, "overhead-bound"));
    CHECK_FALSE(finding_of(findings, "python-overhead"));
}
