#include "core/insight/summary/gap_story.h"

#include <doctest/doctest.h>

#include "core/export/tables/summary_writer.h"
#include "core/export/words/gap_sentence.h"
#include "core/insight/summary/summary.h"
#include "tests/core/analysis/gpu_trace_maker.h"
#include "tests/core/real_traces.h"

namespace lanescope {

namespace {

// In hundredths of a second, rounded.
Nanos hundredths(Nanos t) {
    return (t + 5'000'000) / 10'000'000;
}

}  // namespace

// The expected values were computed from the files by other means.
TEST_CASE("loading a library and its kernels took ten seconds of a first step") {
    const TracePtr trace = testing::load_real_trace("torch/a100_alexnet_sync.json.gz");
    if (!trace) return;
    const TraceContext context(trace);
    const std::vector<IdleGap> gaps = device_gaps(context, {});
    REQUIRE(gaps.size() > 3);
    const GapStory story = gap_story(context, gaps[0]);
    CHECK(hundredths(story.gap.range.length()) == 1003);  // 10.03 s
    CHECK(trace->name(story.around.slice) == "aten::cudnn_convolution");
    REQUIRE(story.calls.size() == 2);
    CHECK(calls_label(*trace, story.calls[0]) == "3 × cudaFree");
    CHECK(hundredths(story.calls[0].longest[0].inside) == 601);
    CHECK(hundredths(story.calls[0].longest[1].inside) == 53);
    CHECK(calls_label(*trace, story.calls[1]) == "cudaLaunchKernel");
    CHECK(hundredths(story.calls[1].total) == 306);
    CHECK(calls_detail(story.calls[1]) == "the first launch of its kernel: lazy loading");
    CHECK(hundredths(gaps[1].range.length()) == 104);
    CHECK(hundredths(gaps[2].range.length()) == 82);
    const std::string line = gap_sentence(*trace, story);
    CHECK(line.find("10.03 s at 31.37 s, host: in aten::cudnn_convolution, ") == 0);
    CHECK(line.find("3 × cudaFree 6.534 s (6.009 s, 525 ms, …)") != std::string::npos);
    const Table summary = summary_table(context, summarise(context, {}));
    bool listed = false;
    for (std::size_t row = 0; row < summary.row_count(); ++row)
        listed |= std::get<std::string_view>(summary.cell(row, 1)) == line;
    CHECK(listed);
}

TEST_CASE("the GPU waits for the data loader") {
    const TracePtr trace = testing::load_real_trace("torch/rtx2080ti_resnet.json.gz");
    if (!trace) return;
    const TraceContext context(trace);
    const std::vector<IdleGap> gaps = device_gaps(context, {});
    REQUIRE(gaps.size() > 1);
    const WalkedGap walked = walk_to(context, gaps, 0);
    const GapStory& story = walked.story;
    CHECK(hundredths(story.gap.range.length()) == 225);
    CHECK(trace->name(story.around.slice).find("enumerate(DataLoader)") == 0);
    CHECK(hundredths(story.around.inside) == 194);
    CHECK(static_cast<double>(walked.device_busy) / static_cast<double>(walked.device_span) ==
          doctest::Approx(0.326).epsilon(0.002));
    CHECK(hundredths(gaps[1].range.length()) == 185);
}

TEST_CASE("before a node of a graph that was launched, the cause is not recorded") {
    const TracePtr trace = testing::GpuTraceMaker()
                               .call("cudaGraphLaunch", 10, 5, 1)
                               .work("node 1", 20, 30, 1)
                               .work("node 2", 150, 10, 1)
                               // Waits for the GPU.
                               .call("aten::to", 38, 140, 0, 2, "cpu_op")
                               .call("aten::copy_", 39, 138, 0, 2, "cpu_op")
                               .call("cudaMemcpyAsync", 40, 130, 0, 2)
                               .call("serve", 60, 70, 0, 3, "user_annotation")
                               .call("too short", 60, 40, 0, 4, "cpu_op")
                               // Says nothing about the gap.
                               .call("train", 0, 2000, 0, 5, "user_annotation")
                               .load();
    const TraceContext context(trace);
    const std::vector<IdleGap> gaps = device_gaps(context, {});
    REQUIRE(gaps.size() == 1);
    const GapStory story = gap_story(context, gaps[0]);
    REQUIRE(story.threads.size() == 3);
    CHECK_FALSE(story.threads[0].call.slice);
    CHECK(trace->name(story.threads[1].call.slice) == "cudaMemcpyAsync");
    CHECK(trace->name(story.threads[1].op) == "aten::copy_");
    CHECK(story.threads[1].call.inside == 100'000);
    CHECK(story.threads[1].outlasts);
    CHECK(trace->name(story.threads[2].call.slice) == "serve");
    CHECK_FALSE(story.threads[2].outlasts);
    CHECK(gap_sentence(*trace, story) ==
          "100 µs at 50 µs, cause not recorded: the next work was launched at 10 µs, 40 µs before "
          "the gap; thread 1: nothing recorded; thread 2: cudaMemcpyAsync (aten::copy_), which "
          "outlasts the gap; thread 3: serve; after node 1, before node 2.");
    // The value in tables and JSON stays.
    CHECK(gap_cause_name(story.gap.cause) == "graph");
    const Summary summary = summarise(context, {});
    const std::string text = summary_as_text(context, summary, {1000, false});
    CHECK(text.find("Why it idles is not recorded") != std::string::npos);
    CHECK(text.find("cause not recorded 100 %") != std::string::npos);
    CHECK(text.find("raph") == std::string::npos);
    CHECK(text.find("aten::to,") == std::string::npos);
}

TEST_CASE("the story of a gap before a graph's node names its launch and the waiting thread") {
    const TracePtr trace = testing::load_real_trace("torch/a100_rank0_of16.json.gz");
    if (!trace) return;
    const TraceContext context(trace);
    std::size_t told = 0;
    for (const IdleGap& gap : device_gaps(context, {})) {
        if (gap.range.length() < 60'000'000) break;
        if (gap.cause == GapCause::unknown) continue;  // launched before the recording began
        CHECK(gap.cause == GapCause::graph);
        const GapStory story = gap_story(context, gap);
        const Nanos earlier = gap.range.begin - trace->start(gap.launch);
        CHECK(earlier > 64'000'000);
        CHECK(earlier < 67'000'000);
        // From another thread, which does nothing meanwhile; the main thread waits.
        REQUIRE(story.threads.size() == 2);
        const bool first_waits = bool(story.threads[0].call.slice);
        const GapThread& waiting = story.threads[first_waits ? 0 : 1];
        CHECK_FALSE(story.threads[first_waits ? 1 : 0].call.slice);
        CHECK(gap.launch.lane != waiting.lane);
        CHECK(waiting.outlasts);
        const std::string_view call = trace->name(waiting.call.slice);
        CHECK((call == "cudaMemcpyAsync" || call == "cudaDeviceSynchronize"));
        ++told;
    }
    CHECK(told == 5);
}

TEST_CASE("the cause of a gap is next to it; much longer calls only enclose it") {
    const auto around_of = [](int small_call) {
        const TracePtr trace = testing::GpuTraceMaker()
                                   .call("train", 0, 100'000, 0, 1, "user_annotation")
                                   .call("prepare", 20, small_call, 0, 1, "user_annotation")
                                   .call("cudaLaunchKernel", 0, 5, 1)
                                   .work("first", 5, 5, 1)
                                   .call("cudaLaunchKernel", 205, 5, 2)
                                   .work("second", 210, 10, 2)
                                   .load();
        const TraceContext context(trace);
        const GapStory story = gap_story(context, device_gaps(context, {}).at(0));
        CHECK(story.gap.range.length() == 200'000);
        REQUIRE(story.chain.size() == 1);
        CHECK(trace->name(story.chain[0].slice) == "train");
        return std::pair(std::string(story.around.slice ? trace->name(story.around.slice) : ""),
                         story.around.inside);
    };
    CHECK(around_of(150) == std::pair<std::string, Nanos>("prepare", 150'000));
    CHECK(around_of(50) == std::pair<std::string, Nanos>("prepare", 50'000));  // most, not half
    CHECK(around_of(10).first.empty());
}

TEST_CASE("a trace without a GPU has no gaps") {
    const TracePtr trace = testing::load_real_trace("torch_cpu/convnet_stack.json.gz");
    if (!trace) return;
    CHECK(device_gaps(TraceContext(trace), {}).empty());
}

}  // namespace lanescope
