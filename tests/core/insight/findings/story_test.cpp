#include "core/insight/findings/story.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/export/tables/summary_writer.h"
#include "core/export/words/finding_text.h"
#include "core/export/words/summary_sentences.h"
#include "tests/core/real_traces.h"
#include "tests/core/trace_maker.h"

using namespace lanescope;

namespace {

Finding finding_of(std::string_view rule, uint32_t device, std::optional<Nanos> cost) {
    Finding finding;
    finding.rule = rule;
    finding.device = device;
    finding.cost = cost;
    finding.title = "Something costs time";
    return finding;
}

// Two devices, of which the second has the story.
Findings two_devices() {
    Findings found;
    found.summary.devices.resize(2);
    found.summary.devices[1].bound = StepBound::overhead;
    found.windows.resize(2, {1000, 500, true});
    found.summary.story = {{StoryKind::gpu_busy, 1, 0},        {StoryKind::bound, 1, 0},
                           {StoryKind::few_gaps, 1, 2},        {StoryKind::top_kernel, 1, 0},
                           {StoryKind::pageable_copies, 1, 0}, {StoryKind::waits, 0, 0},
                           {StoryKind::odd_step, 0, 1}};
    return found;
}

std::vector<StoryKind> kinds_of(const std::vector<StoryPoint>& story) {
    std::vector<StoryKind> kinds;
    for (const StoryPoint& point : story) kinds.push_back(point.kind);
    return kinds;
}

}  // namespace

TEST_CASE("the top findings are the largest of three rules, without those that cost nothing") {
    Findings found;
    found.all = {finding_of("a", 0, 9), finding_of("a", 1, 8), finding_of("b", 0, 7),
                 finding_of("b", 1, 6), finding_of("c", 1, 5), finding_of("d", 0, 4),
                 finding_of("e", 0, {})};
    CHECK(top_findings(found) == std::vector<uint32_t>{0, 2, 4});
    found.all = {finding_of("a", 0, {}), finding_of("b", 0, {})};
    CHECK(top_findings(found).empty());
}

TEST_CASE("a story names its findings after the answer, in place of what they say") {
    using enum StoryKind;
    Findings found = two_devices();
    CHECK(kinds_of(findings_story(found)) == kinds_of(found.summary.story));
    found.all = {finding_of("overhead-bound", 1, 90), finding_of("sync-in-step", 1, 80),
                 finding_of("tiny-kernels", 1, 70), finding_of("step-outlier", 1, 60)};
    const std::vector<StoryPoint> story = findings_story(found);
    CHECK(kinds_of(story) == std::vector<StoryKind>{gpu_busy, few_gaps, finding, finding, finding,
                                                    top_kernel, pageable_copies, odd_step});
    CHECK(story[2].count == 0);
    CHECK(story[4].count == 2);
}

TEST_CASE("what a finding of another GPU says stays in the story") {
    using enum StoryKind;
    Findings found = two_devices();
    found.all = {finding_of("overhead-bound", 0, 90), finding_of("pageable-copies", 0, 80)};
    CHECK(kinds_of(findings_story(found)) ==
          std::vector<StoryKind>{gpu_busy, bound, few_gaps, finding, finding, top_kernel,
                                 pageable_copies, waits, odd_step});
}

TEST_CASE("the sentence of a finding has its rule, cost and doubts") {
    TraceMaker maker;
    const TraceContext context(maker.finish());
    Findings found = two_devices();
    found.summary.devices[0].device = 4;
    found.summary.devices[1].device = 5;
    Finding finding = finding_of("tiny-kernels", 1, 4'000'000);
    finding.cost_per_step = 1'000'000;
    finding.share = 0.25;
    CHECK(finding_sentence(context, found, finding) ==
          "Something costs time (GPU 5, tiny-kernels: 1 ms a step, 25.0 %).");
    finding.cost_per_step.reset();
    finding.confidence = Confidence::possible;
    finding.part_of = "overhead-bound";
    CHECK(finding_sentence(context, found, finding) ==
          "Something costs time (GPU 5, tiny-kernels: 4 ms, 25.0 %; possible; part of "
          "overhead-bound).");
}

TEST_CASE("a GPU without findings is said to have none") {
    TraceMaker maker;
    const TraceContext context(maker.finish());
    Findings found;
    CHECK(findings_conclusion(context, found) ==
          std::vector<std::string>{
              "Nothing was found: the file has no GPU work, which most rules look at."});
    found.summary.devices.resize(1);
    found.summary.devices[0].device = 0;
    found.windows = {{100'000'000, 97'000'000, 4, false}};
    found.min_share = 0.01;
    CHECK(findings_conclusion(context, found) ==
          std::vector<std::string>{
              "GPU 0: busy for 97.0 % of the steps of 100 ms; no finding above 1.0 %."});
}

TEST_CASE("what findings cost together is said in the unit of each: a step, or the span") {
    TraceMaker maker;
    const TraceContext context(maker.finish());
    Findings found;
    found.summary.devices.resize(1);
    found.summary.devices[0].device = 0;
    found.windows = {{100'000'000, 40'000'000, 4, false}};
    for (const Nanos begin : {0, 10'000'000}) {
        Finding& finding = found.all.emplace_back();
        finding.rule = "tiny-kernels";
        finding.device = 0;
        finding.cost = 20'000'000;
        finding.times = {{begin, begin + 20'000'000}};
    }
    CHECK(findings_conclusion(context, found) ==
          std::vector<std::string>{"GPU 0: a step takes 25 ms (mean of 4 steady steps); the "
                                   "findings concern 7.5 ms of it (30.0 %)."});
    found.windows[0].steps = 1;
    CHECK(findings_conclusion(context, found) ==
          std::vector<std::string>{
              "GPU 0: a step takes 100 ms; the findings concern 30 ms of it (30.0 %)."});
    found.windows[0].steps = 0;
    CHECK(findings_conclusion(context, found) ==
          std::vector<std::string>{
              "GPU 0: the trace spans 100 ms; the findings concern 30 ms of it (30.0 %)."});
}

TEST_CASE("the story of real traces has each finding's title, and the summary its objects") {
    for (const std::string& name : testing::traces_of_slow_tests(2)) {
        CAPTURE(name);
        const TracePtr trace = testing::load_real_trace(name);
        if (!trace) continue;
        const TraceContext context(trace);
        const Findings found = find_story(context, {}, {{}, 0.01});
        const SummaryText text{context, *trace, found.summary, &found};
        std::string story;
        for (const StoryPoint& point : found.summary.story)
            story += story_sentence(text, point) + " ";
        for (const uint32_t place : top_findings(found)) {
            const std::string title = finding_text(context, found, found.all[place]).title;
            CHECK(story.find(title.substr(0, title.size() - 1)) != std::string::npos);
        }
        const auto json = nlohmann::json::parse(summary_as_json(context, found));
        REQUIRE(json["findings"].size() == top_findings(found).size());
        for (std::size_t i = 0; i < json["findings"].size(); ++i)
            CHECK(json["findings"][i]["id"] == found.all[top_findings(found)[i]].rule);
        CHECK(json["story"].size() == found.summary.story.size());
    }
}
