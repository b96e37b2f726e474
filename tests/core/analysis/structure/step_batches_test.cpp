// The batches of steps: which annotation belongs to which step.
#include "core/analysis/structure/step_batches.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "core/analysis/context.h"
#include "core/analysis/structure/steps.h"
#include "tests/core/insight/trace_events.h"
#include "tests/core/real_traces.h"

using namespace lanescope;
using lanescope::testing::Events;

namespace {

std::vector<BatchLabel> batches_of(const Events& events) {
    return TraceContext(events.load()).get<StepBatches>().all;
}

constexpr std::string_view kDecode =
    "execute_16_context_0(sq0sk0sqsq0sqsk0)_generation_16(sq16sk8193sqsq16sqsk8193)";

}  // namespace

TEST_CASE("an annotation inside a step's annotation completes its batch") {
    for (const bool detailed_first : {true, false}) {
        const std::string outer(detailed_first ? kDecode : "step[DECODE bs=16]");
        const std::string inner(detailed_first ? "step[DECODE bs=16]" : kDecode);
        Events events;
        events.call("user_annotation", outer, 0, 100).call("user_annotation", inner, 10, 90);
        events.call("user_annotation", "step[EXTEND bs=1 toks=7]", 200, 300);
        const auto batches = batches_of(events);
        REQUIRE(batches.size() == 2);
        CHECK(batches[0] == *read_batch_label(kDecode));
        CHECK(batches[1].phase == BatchPhase::prefill);
        CHECK(batches[1].all.queries == 7);
    }
}

TEST_CASE("steps of the profiler have the batch that begins in them, if it is the only one") {
    Events events;
    for (int i = 0; i < 4; ++i) events.step(i, 1000.0 * i, 1000.0 * i + 900);
    events.call("user_annotation", "step[DECODE bs=2]", 10, 500);
    events.call("user_annotation", "step[DECODE bs=3]", 1010, 1200);
    events.call("user_annotation", "step[DECODE bs=4]", 1300, 1500);
    events.call("cpu_op", "step[DECODE bs=5]", 2010, 2100);
    events.call("user_annotation", "step[DECODE bs=6]", 3950, 3990);
    const TraceContext context(events.load());
    CHECK(context.get<Steps>().source == StepSource::profiler);
    const StepBatches& batches = context.get<StepBatches>();
    REQUIRE(batches.all.size() == 4);
    CHECK(batches.any);
    CHECK(batches.all[0].all.requests == 2);
    for (const std::size_t i : {1, 2, 3}) CHECK(batches.all[i] == BatchLabel());
}

TEST_CASE("a trace without servers has no batches") {
    Events events;
    for (int i = 0; i < 4; ++i) events.step(i, 1000.0 * i, 1000.0 * i + 900);
    const TraceContext context(events.load());
    CHECK_FALSE(context.get<StepBatches>().any);
    CHECK(context.get<StepBatches>().all == std::vector<BatchLabel>(4));
    CHECK(batch_marks(context.trace()).empty());
}

TEST_CASE("the thread with most batches counts, and forward steps of TensorRT-LLM are steps") {
    Events events;
    for (int i = 0; i < 3; ++i)
        events.call("user_annotation",
                    "[Executor] _forward_step " + std::to_string(i) + ": 0 ctx reqs, 8 gen reqs",
                    100.0 * i, 100.0 * i + 90);
    events.on_thread(2, "user_annotation", "step[DECODE bs=9]", 20, 40);
    const TraceContext context(events.load());
    CHECK(context.get<Steps>().source == StepSource::annotation);
    REQUIRE(context.get<Steps>().all.size() == 3);
    for (const BatchLabel& batch : context.get<StepBatches>().all) {
        CHECK(batch.phase == BatchPhase::decode);
        CHECK(batch.all.requests == 8);
    }
}

TEST_CASE("the step of an SGLang server states its batch in two annotations") {
    const TracePtr trace =
        testing::load_real_trace("torch/b300_sglang_overlapping_kernels.json.gz");
    if (!trace) return;
    const TraceContext context(trace);
    REQUIRE(context.get<StepBatches>().all.size() == 1);
    CHECK(context.get<StepBatches>().all[0] == *read_batch_label(kDecode));
}
