// Rules that find what costs time, on small traces with known answers.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "core/export/tables/findings_writer.h"
#include "core/ingest/load.h"
#include "core/insight/findings/matrix_kernels.h"
#include "core/insight/findings/rule.h"
#include "core/registry/tables.h"
#include "tests/core/insight/trace_events.h"

using namespace lanescope;
using lanescope::testing::Events;

namespace {

std::vector<Finding> found(const TracePtr& trace, const Thresholds& thresholds = {}) {
    return find_all(TraceContext(trace), thresholds, {}).all;
}

const Finding* find_rule(const std::vector<Finding>& findings, std::string_view rule) {
    const auto at = std::ranges::find(findings, rule, &Finding::rule);
    return at == findings.end() ? nullptr : &*at;
}

// Four steps of 1 ms, in each a kernel that is launched at its begin and runs for `busy` µs.
Events steps(double busy, const std::string& kernel = "long_kernel") {
    Events events;
    for (int i = 0; i < 4; ++i) {
        const double begin = 1000 * i;
        events.step(i, begin, begin + 1000);
        events.kernel(kernel, begin + 10, begin + 20, begin + 20 + busy);
    }
    return events;
}

}  // namespace

TEST_CASE("a GPU that waits for launches is found, with its idle time") {
    const auto findings = found(steps(300).load());
    const Finding* const finding = find_rule(findings, "overhead-bound");
    REQUIRE(finding);
    // The 10 µs from the first launch to the first kernel have another cause.
    CHECK(*finding->cost == 4 * 700'000 - 10'000);
    CHECK(finding->share == doctest::Approx(0.6975));
    CHECK(*finding->cost_per_step == doctest::Approx(697'500));
    CHECK(finding->severity == Severity::high);
    REQUIRE_FALSE(finding->places.empty());
    CHECK(finding->places[0].name == "idle before long_kernel");
    // As in the table of launches: each launch is in the queue until its kernel begins.
    CHECK(finding->evidence[1].column == "launches.queue_depth");
    CHECK(finding->evidence[1].value == 1);
    CHECK_FALSE(find_rule(found(steps(950).load()), "overhead-bound"));
}

TEST_CASE("idle time in the data loader counts for it alone") {
    Events events = steps(300);
    for (int i = 0; i < 4; ++i)
        events.call("user_annotation", "enumerate(DataLoader)#_SingleProcess.__next__",
                    1000.0 * i + 400, 1000.0 * i + 900);
    const auto findings = found(events.load());
    const Finding* const loader = find_rule(findings, "dataloader-wait");
    REQUIRE(loader);
    CHECK(*loader->cost == 4 * 500'000);
    CHECK(loader->part_of.empty());
    CHECK_FALSE(find_rule(findings, "overhead-bound"));  // the loader limits it
}

TEST_CASE("the GPU idles behind a call that waits, and the gap counts once") {
    Events events;
    for (int i = 0; i < 4; ++i) {
        const double begin = 1000 * i;
        events.step(i, begin, begin + 1000);
        events.call("cpu_op", "aten::item", begin + 20, begin + 320);
        events.kernel("first", begin + 10, begin + 20, begin + 300);
        events.call("cuda_runtime", "cudaStreamSynchronize", begin + 30, begin + 310);
        events.call("cuda_runtime", "cudaStreamSynchronize", begin + 311, begin + 312);
        events.kernel("second", begin + 400, begin + 410, begin + 990);
    }
    const auto findings = found(events.load());
    const Finding* const finding = find_rule(findings, "sync-in-step");
    REQUIRE(finding);
    CHECK(*finding->cost == 4 * 110'000);
    CHECK(finding->title.find("most of it follows aten::item") != std::string::npos);
    CHECK(finding->places.size() == 4);
}

TEST_CASE("copies of pageable and of pinned memory are told apart") {
    for (const bool pageable : {true, false}) {
        Events events = steps(500);
        for (int i = 0; i < 4; ++i) {
            const double begin = 1000 * i;
            const std::string name =
                fmt::format("Memcpy HtoD ({} -> Device)", pageable ? "Pageable" : "Pinned");
            // 100 of its 200 µs run beside the kernel.
            events.kernel(name, begin + 12, begin + 420, begin + 620, "gpu_memcpy");
            // Inside the device: of no interest.
            events.kernel("Memcpy DtoD (Device -> Device)", begin + 14, begin + 650, begin + 750,
                          "gpu_memcpy");
        }
        const auto findings = found(events.load());
        const Finding* const finding =
            find_rule(findings, pageable ? "pageable-copies" : "copies-not-overlapped");
        REQUIRE(finding);
        CHECK(*finding->cost == 4 * 100'000);
        CHECK_FALSE(find_rule(findings, pageable ? "copies-not-overlapped" : "pageable-copies"));
    }
}

TEST_CASE("communication is exposed while nothing computes") {
    Events events = steps(500);
    for (int i = 0; i < 4; ++i)
        events.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", 1000.0 * i + 12, 1000.0 * i + 420,
                      1000.0 * i + 820);
    const Finding* const finding = find_rule(found(events.load()), "comm-exposed");
    CHECK(finding);
    const auto findings = found(events.load());
    CHECK(*find_rule(findings, "comm-exposed")->cost == 4 * 300'000);
}

TEST_CASE("short kernels cost the idle time before them") {
    Events events;
    for (int i = 0; i < 4; ++i) {
        events.step(i, 1000.0 * i, 1000.0 * i + 1000);
        for (int k = 0; k < 20; ++k) {
            const double launch = 1000.0 * i + 50 * k;
            events.kernel("tiny", launch, launch + 6, launch + 11);
        }
    }
    const TracePtr trace = events.load();
    const auto findings = found(trace);
    const Finding* const finding = find_rule(findings, "tiny-kernels");
    REQUIRE(finding);
    CHECK(*finding->cost == 79 * 45'000);
    CHECK(finding->part_of == "overhead-bound");
    Thresholds thresholds;
    REQUIRE(thresholds.set("tiny-kernels.max_duration=4us"));
    CHECK_FALSE(find_rule(found(trace, thresholds), "tiny-kernels"));
}

TEST_CASE("a softmax between two matrix products is unfused attention") {
    const auto attention = [](const std::string& first, const std::string& last) {
        Events events;
        for (int i = 0; i < 4; ++i) {
            const double begin = 1000 * i;
            events.step(i, begin, begin + 1000);
            events.kernel(first, begin + 1, begin + 10, begin + 300);
            events.kernel("cunn_SoftMaxForward<4, float>", begin + 2, begin + 300, begin + 500);
            events.kernel(last, begin + 3, begin + 500, begin + 990);
        }
        return events.load();
    };
    const auto findings = found(attention("ampere_sgemm_128x64_tn", "cutlass_80_tensorop_align1"));
    const Finding* const softmax = find_rule(findings, "unfused-attention");
    REQUIRE(softmax);
    CHECK(*softmax->cost == 4 * 200'000);
    CHECK(softmax->confidence == Confidence::likely);
    const Finding* const unaligned = find_rule(findings, "unaligned-gemm");
    REQUIRE(unaligned);
    CHECK(*unaligned->cost == 4 * 490'000);
    // The products of other steps' attention are further away than the threshold allows.
    Thresholds near;
    REQUIRE(near.set("unfused-attention.max_distance=1"));
    CHECK_FALSE(find_rule(found(attention("elementwise", "reduce"), near), "unfused-attention"));
}

TEST_CASE("names say what a kernel does") {
    CHECK(is_matrix_kernel("Cijk_Alik_Bljk_HHS_BH_MT64x64"));
    CHECK(is_matrix_kernel("sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n"));
    CHECK_FALSE(is_matrix_kernel("vectorized_elementwise_kernel"));
    CHECK(is_softmax_kernel("void cunn_SoftMaxForward<4>"));
    CHECK_FALSE(is_softmax_kernel("cunn_SoftMaxBackward"));
    CHECK(is_softmax_kernel(
        "void (anonymous namespace)::softmax_warp_forward<float, float, 9, false>(float*)"));
    CHECK_FALSE(is_softmax_kernel(
        "void "
        "moe::routing::routingIndicesKernel<moe::routing::Params<moe::SoftmaxPostprocess>>(P)"));
    CHECK_FALSE(is_softmax_kernel("log_softmax_warp_forward"));
    CHECK(is_unaligned_kernel("cutlass_75_tensorop_bf16_s1688gemm_bf16_256x128_tn_align1"));
    CHECK(is_unaligned_kernel("cutlass_80_wmma_tensorop_h161616gemm_32x32_128x2_tn_align2"));
    CHECK_FALSE(is_unaligned_kernel("cutlass_80_tensorop_i16832gemm_s8_128x128_64x5_tn_align16"));
    CHECK_FALSE(is_unaligned_kernel("cutlass_80_tensorop_h16816gemm_256x128_32x3_nn_align8"));
}

TEST_CASE("a longer step is found, with the part that grew") {
    Events events;
    double begin = 0;
    for (int i = 0; i < 9; ++i) {
        const double length = i == 6 ? 1500 : 1000 + i;
        events.step(i, begin, begin + length);
        events.kernel("long_kernel", begin + 10, begin + 20, begin + 920);
        begin += length;
    }
    const auto findings = found(events.load());
    const Finding* const finding = find_rule(findings, "step-outlier");
    REQUIRE(finding);
    CHECK(*finding->cost == doctest::Approx(496'000));
    CHECK(finding->title.find("mostly idle because of the host") != std::string::npos);
    CHECK(finding->places[0].name == "ProfilerStep#6");
}

TEST_CASE("steps that allocate memory of the driver are found") {
    Events events = steps(500);
    for (int i = 0; i < 4; ++i)
        events.call("cuda_runtime", "cudaMalloc", 1000.0 * i + 600, 1000.0 * i + 700);
    const auto findings = found(events.load());
    const Finding* const finding = find_rule(findings, "allocator-churn");
    REQUIRE(finding);
    CHECK(*finding->cost == 4 * 100'000);
    CHECK(finding->part_of == "overhead-bound");
}

TEST_CASE("a higher threshold hides a finding") {
    CHECK(find_rule(found(steps(300).load()), "overhead-bound"));
    Thresholds high;
    REQUIRE(high.set("overhead-bound.min_share=90%"));
    CHECK_FALSE(find_rule(found(steps(300).load(), high), "overhead-bound"));
}

TEST_CASE("each GPU of a process has its own idle time") {
    Events events;
    for (int i = 0; i < 4; ++i) {
        const double begin = 1000 * i;
        events.step(i, begin, begin + 1000);
        events.kernel("on the first", begin + 1, begin + 10, begin + 990);
        events.kernel("on the second", begin + 2, begin + 20, begin + 100, "kernel", 1);
    }
    const Findings findings = find_all(TraceContext(events.load()), {}, {});
    REQUIRE(findings.windows.size() == 2);
    CHECK(findings.windows[0].busy == 4 * 980'000);
    CHECK(findings.windows[1].busy == 4 * 80'000);
    std::vector<uint32_t> idle;
    for (const Finding& finding : findings.all)
        if (finding.rule == "overhead-bound") idle.push_back(finding.device);
    CHECK(idle == std::vector<uint32_t>{1});
}

TEST_CASE("a long gap before a short kernel is no cost of launching it") {
    Events events;
    for (int i = 0; i < 4; ++i) {
        events.step(i, 1000.0 * i, 1000.0 * i + 1000);
        events.kernel("tiny", 1000.0 * i + 900, 1000.0 * i + 906, 1000.0 * i + 911);
    }
    const auto findings = found(events.load());
    CHECK(find_rule(findings, "overhead-bound"));
    CHECK_FALSE(find_rule(findings, "tiny-kernels"));
}

TEST_CASE("warm-up is no part of the steady steps") {
    Events events;
    double begin = 0;
    for (int i = 0; i < 9; ++i) {
        const double length = i == 0 ? 5000 : 1000;
        events.step(i, begin, begin + length);
        if (i == 0) events.call("cuda_runtime", "cudaMalloc_v3020", begin + 1000, begin + 2000);
        events.kernel("long_kernel", begin + 10, begin + 20, begin + 950);
        begin += length;
    }
    const auto findings = found(events.load());
    const Finding* const finding = find_rule(findings, "first-step-costs");
    REQUIRE(finding);
    CHECK(*finding->cost == 4'000'000);
    CHECK(finding->share == doctest::Approx(4.0 / 13));
    CHECK(finding->evidence[0].text == "idle in 1 call of cudaMalloc_v3020");
    CHECK(finding->times.empty());
    CHECK_FALSE(find_rule(findings, "allocator-churn"));
}

TEST_CASE("warm-up is as severe as its share of all steps") {
    Events events;
    double begin = 0;
    for (int i = 0; i < 9; ++i) {
        const double length = i == 0 ? 1950 : 1000;
        events.step(i, begin, begin + length);
        events.kernel("long_kernel", begin + 10, begin + 20, begin + 950);
        begin += length;
    }
    const auto findings = found(events.load());
    const Finding* const finding = find_rule(findings, "first-step-costs");
    REQUIRE(finding);
    // The excess is 11.9 % of the steady steps alone, which would have severity high.
    CHECK(finding->share == doctest::Approx(950.0 / 9950));
    CHECK(finding->severity == Severity::medium);
}

TEST_CASE("the columns that evidence names exist") {
    std::set<std::string> known;
    for (const TableSpec* const table : all_tables())
        for (const ColumnSpec& column : table->columns)
            known.insert(fmt::format("{}.{}", table->name, column.key));
    Events events = steps(300);
    for (int i = 0; i < 4; ++i) {
        const double begin = 1000 * i;
        events.kernel("Memcpy HtoD (Pageable -> Device)", begin + 12, begin + 420, begin + 620,
                      "gpu_memcpy");
        events.kernel("Memcpy DtoH (Device -> Pinned)", begin + 14, begin + 650, begin + 750,
                      "gpu_memcpy");
        events.kernel("ncclDevKernel_AllReduce", begin + 16, begin + 760, begin + 900);
    }
    int named = 0;
    for (const Finding& finding : found(events.load()))
        for (const FindingEvidence& evidence : finding.evidence)
            if (!evidence.column.empty()) {
                CAPTURE(evidence.column);
                CHECK(known.contains(std::string(evidence.column)));
                ++named;
            }
    CHECK(named >= 6);
}

TEST_CASE("a range of time clips the window and the costs") {
    const TracePtr trace = steps(300).load();
    FindingsQuery query;
    // Half of the second step: its kernel runs from 1020 to 1320 µs.
    query.table.range = TimeRange{trace->origin + 1'000'000, trace->origin + 1'500'000};
    const Findings findings = find_all(TraceContext(trace), {}, query);
    REQUIRE(findings.windows.size() == 1);
    CHECK(findings.windows[0].length == 500'000);
    CHECK(findings.windows[0].busy == 300'000);
    const Finding* const finding = find_rule(findings.all, "overhead-bound");
    REQUIRE(finding);
    CHECK(*finding->cost == 200'000);
    CHECK(total_length(finding->times) == 200'000);
}
