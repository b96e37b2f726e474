// The forms in which serving engines state a batch, as their sources write them.
#include "core/models/batch_label.h"

#include <doctest/doctest.h>

#include <string_view>

using namespace lanescope;

namespace {

constexpr int64_t kOpen = kNoValue;
constexpr BatchSums kNone = {0, 0, 0, 0, 0};
constexpr BatchSums kUnstated;

void check_label(std::string_view name, BatchPhase phase, const BatchSums& prefill,
                 const BatchSums& decode, const BatchSums& all) {
    CAPTURE(name);
    const auto label = read_batch_label(name);
    REQUIRE(label);
    CHECK(label->phase == phase);
    CHECK(label->prefill == prefill);
    CHECK(label->decode == decode);
    CHECK(label->all == all);
}

void check_decode(std::string_view name, const BatchSums& decode) {
    check_label(name, BatchPhase::decode, kNone, decode, decode);
}

void check_prefill(std::string_view name, const BatchSums& prefill) {
    check_label(name, BatchPhase::prefill, prefill, kNone, prefill);
}

}  // namespace

TEST_CASE("batches of vLLM") {
    check_decode("execute_32_context_0(sq0sk0sqsq0sqsk0)_generation_32(sq32sk55086sqsq32sqsk55086)",
                 {32, 32, 55086, 32, 55086});
    check_prefill("execute_context_1(888_788544)_generation_0(0)", {1, 888, kOpen, 788544, kOpen});
    check_prefill("execute_context_2(14721)_generation_0(0)", {2, 14721, kOpen, kOpen, kOpen});
    check_decode("execute_context_0(0)_generation_32(128)", {32, 128, kOpen, kOpen, kOpen});
    check_label("execute_context_2(6144)_generation_3(3)", BatchPhase::mixed,
                {2, 6144, kOpen, kOpen, kOpen}, {3, 3, kOpen, kOpen, kOpen},
                {5, 6147, kOpen, kOpen, kOpen});
    check_label(
        "execute_8192_context_9(sq8155sk8430sqsq7475785sqsk7671310)_generation_37("
        "sq37sk34489sqsq37sqsk34489)",
        BatchPhase::mixed, {9, 8155, 8430, 7475785, 7671310}, {37, 37, 34489, 37, 34489},
        {46, 8192, 42919, 7475822, 7705799});
    check_prefill("execute_new_3_cached_0", {3, kOpen, kOpen, kOpen, kOpen});
    // Cached requests may generate, or continue a long prompt.
    for (const std::string_view name : {"execute_new_0_cached_4", "execute_new_1_cached_3"})
        check_label(name, BatchPhase::unknown, kUnstated, kUnstated, {4});
    check_label("execute_context_0(0)_generation_0(0)", BatchPhase::unknown, kNone, kNone, kNone);
}

TEST_CASE("batches of SGLang") {
    check_prefill("step[EXTEND bs=2 toks=14721]", {2, 14721, kOpen, kOpen, kOpen});
    check_prefill("step[prefill bs=1 toks=8]", {1, 8, kOpen, kOpen, kOpen});
    check_prefill("step[EXTEND bs=1 toks=1025 c_sqsq=1050625 c_sqsk=1050625 c_sk=1025]",
                  {1, 1025, 1025, 1050625, 1050625});
    check_prefill("step[EXTEND bs=4 toks=0]", {4, kOpen, kOpen, kOpen, kOpen});
    check_decode("step[DECODE bs=16]", {16, 16, kOpen, kOpen, kOpen});
    check_decode("step[DECODE bs=64 g_sqsq=64 g_sqsk=100032 g_sk=100032]",
                 {64, 64, 100032, 64, 100032});
    check_decode("step[DECODE bs=64 g_sq=128 g_sqsq=256 g_sqsk=262144 g_sk=131072]",
                 {64, 128, 131072, 256, 262144});
    check_decode("step[TARGET_VERIFY bs=8]", {8, kOpen, kOpen, kOpen, kOpen});
    check_label(
        "step[MIXED bs=2 c=1 g=1 c_sq=5 c_sk=8 c_sqsq=25 c_sqsk=40 g_sq=1 g_sk=12 g_sqsq=1 "
        "g_sqsk=12]",
        BatchPhase::mixed, {1, 5, 8, 25, 40}, {1, 1, 12, 1, 12}, {2, 6, 20, 26, 52});
    check_label(
        "step[MIXED bs=1 c=1 g=0 c_sq=3 c_sk=3 c_sqsq=9 c_sqsk=9 g_sq=0 g_sk=0 g_sqsq=0 "
        "g_sqsk=0]",
        BatchPhase::prefill, {1, 3, 3, 9, 9}, kNone, {1, 3, 3, 9, 9});
    check_label("step[MIXED bs=2]", BatchPhase::mixed, kUnstated, kUnstated, {2});
    check_label("step[IDLE]", BatchPhase::unknown, kUnstated, kUnstated, kUnstated);
    check_label("step[DRAFT_EXTEND bs=3]", BatchPhase::unknown, kUnstated, kUnstated, {3});
}

TEST_CASE("batches of ATOM and TensorRT-LLM") {
    check_prefill("prefill[bs=2 tok=14721 ctx=[7803, 6918] sqsq=108745533 sqsk=119025333 sk=16221]",
                  {2, 14721, 16221, 108745533, 119025333});
    check_decode("decode[bs=117/128 tok=117 d=117]", {117, 117, kOpen, kOpen, kOpen});
    check_decode("eager_decode[bs=32 tok=128 d=32 spec=3 sqsq=512 sqsk=262144 sk=65536]",
                 {32, 128, 65536, 512, 262144});
    check_label("decode[bs=128 tok=384 p=2 d=126 sqsq=132612 sqsk=1114112 sk=258048 tbo=1]",
                BatchPhase::mixed, kUnstated, kUnstated, {128, 384, 258048, 132612, 1114112});
    check_decode("[Executor] _forward_step 7: 0 ctx reqs, 64 gen reqs",
                 {64, kOpen, kOpen, kOpen, kOpen});
    check_prefill("[Executor] _forward_step: 3 ctx reqs, 0 gen reqs",
                  {3, kOpen, kOpen, kOpen, kOpen});
    check_label("[Executor] _forward_step 9: 1 ctx reqs, 512 ctx tokens, 31 gen reqs",
                BatchPhase::mixed, {1, 512, kOpen, kOpen, kOpen}, {31}, {32});
}

TEST_CASE("names that state no batch, and batches that cannot be") {
    for (const std::string_view name :
         {"", "execute_model", "execute_", "execute_new_1", "execute_context_1(4)", "stepping [x]",
          "step[DECODE bs=2", "draft step[DECODE bs=2]", "decode[0]", "prefill[pos=3]", "prefill",
          "[Executor] _forward_step", "[Executor] _forward_step 3: gen", "capture_32_DECODE"})
        CHECK_MESSAGE(!read_batch_label(name), name);
    // Sums that contradict each other are not used; the requests are.
    check_label("execute_9_context_3(sq128sk256sqsq1sqsk1)_generation_0(sq0sk0sqsq0sqsk0)",
                BatchPhase::prefill, {3}, kNone, {3});
    check_decode("step[DECODE bs=2 g_sq=2 g_sk=1 g_sqsq=2 g_sqsk=16]", {2});
    check_decode("execute_context_0(0)_generation_4(3)", {4});
    check_decode("execute_context_0(0)_generation_4(99999999999999999999)", {4});
    check_decode("execute_context_0(0)_generation_4(sq)", {4});
}

TEST_CASE("another annotation of the same batch completes a label") {
    const auto completed = [](std::string_view name, std::string_view other) {
        BatchLabel label = *read_batch_label(name);
        complete(label, *read_batch_label(other));
        return label;
    };
    constexpr std::string_view kDetailed =
        "execute_16_context_0(sq0sk0sqsq0sqsk0)_generation_16(sq16sk8193sqsq16sqsk8193)";
    CHECK(completed("step[DECODE bs=16]", kDetailed) == *read_batch_label(kDetailed));
    CHECK(completed(kDetailed, "step[DECODE bs=16]") == *read_batch_label(kDetailed));
    CHECK(completed("execute_new_0_cached_16", kDetailed).phase == BatchPhase::decode);
    for (const std::string_view other :
         {"step[DECODE bs=17]", "step[EXTEND bs=16 toks=16]", "step[DECODE bs=16 g_sq=32]"})
        CHECK(completed(kDetailed, other) == *read_batch_label(kDetailed));
    CHECK(completed("step[DECODE bs=16]", "step[EXTEND bs=16 toks=90]") ==
          *read_batch_label("step[DECODE bs=16]"));
}
