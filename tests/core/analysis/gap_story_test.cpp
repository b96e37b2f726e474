#include "core/analysis/gap_story.h"

#include <doctest/doctest.h>

#include "tests/core/real_traces.h"

namespace lanescope {

namespace {

// Of a second, rounded.
Nanos hundredths(Nanos t) {
    return (t + 5'000'000) / 10'000'000;
}

}  // namespace

// The answers were worked out from the files by other means.
TEST_CASE("ten seconds of a first step went into loading a library and its kernels") {
    const TracePtr trace = testing::load_real_trace("torch/a100_alexnet_sync.json.gz");
    if (!trace) return;
    const TraceContext context(trace);
    const std::vector<IdleGap> gaps = device_gaps(context, {});
    REQUIRE(gaps.size() > 3);
    const GapStory story = gap_story(context, gaps, 0);
    CHECK(hundredths(story.gap.range.length()) == 1003);  // 10.03 s
    CHECK(trace->name(story.around.slice) == "aten::cudnn_convolution");
    REQUIRE(story.calls.size() >= 3);
    CHECK(trace->name(story.calls[0].slice) == "cudaFree");
    CHECK(hundredths(story.calls[0].inside) == 601);
    CHECK(trace->name(story.calls[1].slice) == "cudaLaunchKernel");
    CHECK(hundredths(story.calls[1].inside) == 306);
    CHECK(trace->name(story.calls[2].slice) == "cudaFree");
    CHECK(hundredths(story.calls[2].inside) == 53);
    CHECK(hundredths(gap_story(context, gaps, 1).gap.range.length()) == 104);
    CHECK(hundredths(gap_story(context, gaps, 2).gap.range.length()) == 82);
    const std::string line = gap_line(*trace, story);
    CHECK(line.find("cudnn_convolution") != std::string::npos);
    CHECK(line.find("cudaFree 6.009 s") != std::string::npos);
}

TEST_CASE("a GPU that waits for its data loader") {
    const TracePtr trace = testing::load_real_trace("torch/rtx2080ti_resnet.json.gz");
    if (!trace) return;
    const TraceContext context(trace);
    const std::vector<IdleGap> gaps = device_gaps(context, {});
    REQUIRE(gaps.size() > 1);
    const GapStory story = gap_story(context, gaps, 0);
    CHECK(hundredths(story.gap.range.length()) == 225);
    CHECK(trace->name(story.around.slice).find("enumerate(DataLoader)") == 0);
    CHECK(hundredths(story.around.inside) == 194);
    CHECK(static_cast<double>(story.device_busy) / static_cast<double>(story.device_span) ==
          doctest::Approx(0.326).epsilon(0.002));
    CHECK(hundredths(gap_story(context, gaps, 1).gap.range.length()) == 185);
}

TEST_CASE("a trace without a GPU has no gaps") {
    const TracePtr trace = testing::load_real_trace("torch/cpu_only.json.gz");
    if (!trace) return;
    CHECK(device_gaps(TraceContext(trace), {}).empty());
}

}  // namespace lanescope
