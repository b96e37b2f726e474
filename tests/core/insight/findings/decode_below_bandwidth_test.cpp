// The rule decode-below-bandwidth, on steps of a server with one product each.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "core/insight/findings/rule.h"
#include "tests/core/insight/trace_events.h"

using namespace lanescope;
using lanescope::testing::Events;

namespace {

constexpr const char* kServerGpu =
    R"("name":"Tesla V100-SXM2-16GB","numSms":80,"computeMajor":7,"computeMinor":0,)"
    R"("totalGlobalMem":17179869184)";
constexpr double kWeights = 2.0 * 4096 * 4096;  // bytes
constexpr double kPeak = 900e9;                 // of a V100, bytes per second

struct Server {
    std::string batch = "step[DECODE bs=4]";
    int rows = 4;
    double step = 1000;    // µs
    double product = 800;  // µs, of its kernel
    double other = 0;      // µs, of a kernel without a model
    std::string op = "aten::mm";
    std::string dims = {};  // of the op; empty: those of the product
    std::string types = R"("c10::Half","c10::Half")";
    std::string device = kServerGpu;
};

Events events_of(const Server& server) {
    Events events;
    events.device(server.device);
    for (int i = 0; i < 4; ++i) {
        const double begin = server.step * i;
        const std::string dims =
            server.dims.empty() ? fmt::format("[[{},4096],[4096,4096]]", server.rows) : server.dims;
        events.call("user_annotation", server.batch, begin, begin + server.step);
        events.op(server.op, begin + 1, begin + 8,
                  fmt::format(R"("Input Dims":{},"Input type":[{}])", dims, server.types));
        events.kernel("volta_h884gemm", begin + 2, begin + 9, begin + 9 + server.product);
        if (server.other > 0)
            events.kernel("mystery", begin + 8, begin + 9 + server.product,
                          begin + 9 + server.product + server.other);
    }
    return events;
}

std::optional<Finding> finding_in(const Server& server) {
    const auto all = find_all(TraceContext(events_of(server).load()), {}, {}).all;
    const auto at = std::ranges::find(all, "decode-below-bandwidth", &Finding::rule);
    return at == all.end() ? std::nullopt : std::optional(*at);
}

double evidence_of(const Finding& finding, std::string_view text) {
    for (const FindingEvidence& evidence : finding.evidence)
        if (evidence.text == text) return evidence.value;
    return -1;
}

}  // namespace

TEST_CASE("decode steps that take longer than their weights cost the difference") {
    const auto finding = finding_in({});
    REQUIRE(finding);
    const double bytes = kWeights + 2 * 4 * 4096;
    const double needed = bytes / kPeak * 1e6;  // µs
    CHECK(static_cast<double>(*finding->cost) ==
          doctest::Approx(4 * 1e3 * (1000 - needed)).epsilon(1e-3));
    CHECK(finding->title == "4 decode steps use 3.7 % of the memory's bandwidth");
    CHECK(evidence_of(*finding, "bandwidth use") == doctest::Approx(needed / 1000));
    CHECK(evidence_of(*finding, "bandwidth use while the GPU works") ==
          doctest::Approx(needed / 800).epsilon(1e-3));
    CHECK(evidence_of(*finding, "bytes that a step's matrix products read") == bytes);
    CHECK(evidence_of(*finding, "requests in a step, on average") == 4);
    // Idle for 200 µs of each step, and the product is slower than memory.
    CHECK(evidence_of(*finding, "GPU idle") == doctest::Approx(4 * 200e3).epsilon(0.02));
    CHECK(evidence_of(*finding, "matrix products beyond the time of their weights") ==
          doctest::Approx(4e3 * (800 - needed)).epsilon(1e-3));
    CHECK(finding->advice.starts_with("Kernels of the products"));
    CHECK(finding->confidence == Confidence::likely);
}

TEST_CASE("a peak that no source confirms is said") {
    constexpr std::string_view kRemark = "no source confirms the peak of the memory's bandwidth";
    const auto has_remark = [&](const Finding& finding) {
        return std::ranges::find(finding.evidence, kRemark, &FindingEvidence::text) !=
               finding.evidence.end();
    };
    const auto uncertain = finding_in(
        {.device = R"("name":"NVIDIA RTX PRO 6000 Blackwell Server Edition","numSms":188)"});
    REQUIRE(uncertain);
    CHECK(has_remark(*uncertain));
    CHECK(uncertain->confidence == Confidence::likely);
    const auto confirmed = finding_in({});
    REQUIRE(confirmed);
    CHECK_FALSE(has_remark(*confirmed));
}

TEST_CASE("the largest part of the time gives the advice") {
    const auto finding = finding_in({.product = 300});
    REQUIRE(finding);
    CHECK(finding->advice.starts_with("The host is the limit"));
}

TEST_CASE("the cost leaves out kernels whose bytes are not known") {
    const auto finding = finding_in({.product = 600, .other = 100});
    REQUIRE(finding);
    const double needed = (kWeights + 2 * 4 * 4096) / kPeak * 1e6;
    CHECK(static_cast<double>(*finding->cost) ==
          doctest::Approx(4 * 1e3 * (1000 - needed - 100)).epsilon(1e-3));
    CHECK(evidence_of(*finding, "kernels whose bytes are not known") ==
          doctest::Approx(4 * 100e3).epsilon(1e-3));
}

TEST_CASE("decode steps are no finding") {
    SUBCASE("if they compute prompts") {
        CHECK_FALSE(finding_in({.batch = "step[EXTEND bs=1 toks=4]"}));
    }
    SUBCASE("if their annotation does not tell the phase") {
        CHECK_FALSE(finding_in({.batch = "execute_new_0_cached_4"}));
    }
    SUBCASE("if over a fifth of the kernels' time has no bytes") {
        CHECK_FALSE(finding_in({.product = 600, .other = 160}));
        CHECK(finding_in({.product = 600, .other = 140}));
    }
    SUBCASE("if they use most of the bandwidth") {
        CHECK_FALSE(finding_in({.step = 60, .product = 45}));
        CHECK(finding_in({.step = 70, .product = 45}));
    }
    SUBCASE("if operations limit them") {
        CHECK_FALSE(finding_in({.batch = "step[DECODE bs=1024]", .rows = 1024}));
    }
    SUBCASE("if the device is not in the data sheet") {
        CHECK_FALSE(finding_in({.device = R"("name":"Unknown","numSms":80)"}));
    }
    SUBCASE("if only a lower bound of the bytes is known") {
        CHECK_FALSE(finding_in({.op = "vllm::inplace_fused_experts",
                                .dims = "[[4,64],[8,32,64],[8,64,16],[4,2],[4,2]]",
                                .types = R"("c10::Half","c10::Half","c10::Half","float","int")"}));
    }
}
