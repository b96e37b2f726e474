// Comparison of servers: decode steps with decode steps, prefill steps with prefill steps.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/format.h"
#include "core/export/tables/compare_writer.h"
#include "core/insight/compare/compare.h"
#include "tests/core/insight/made_runs.h"

using namespace lanescope;
using namespace lanescope::testing;

namespace {

struct PhaseSteps {
    std::string batch;
    double time = 0;  // µs, of a step; successive steps differ by 1 µs
    int count = 0;
};

RunMaker server(const std::vector<PhaseSteps>& phases) {
    RunMaker run;
    double begin = 0;
    for (const PhaseSteps& phase : phases)
        for (int i = 0; i < phase.count; ++i) {
            const double time = phase.time + i % 3;
            run.call("user_annotation", phase.batch, begin, begin + time);
            op(run, "aten::mm", begin + 1, time - 30);
            begin += time;
        }
    return run;
}

Comparison servers(const std::vector<PhaseSteps>& a, const std::vector<PhaseSteps>& b) {
    return compared(server(a).profile(), server(b).profile());
}

std::string remarks_of(const Comparison& all) {
    std::string text;
    for (const std::string& remark : all.remarks) text += remark + "\n";
    return text;
}

// The function of all steps has no verdict, and its gate says `why`.
void check_function_not_judged(const Comparison& all, std::string_view why) {
    CHECK(row_named(all, "aten::mm")->verdict == Verdict::none);
    CHECK(std::ranges::find(all.all_functions, "aten::mm", &CompareRow::name)->verdict ==
          Verdict::none);
    const auto gate = judge(all, 0.05, "aten::mm");
    CHECK(gate->outcome == GateResult::Outcome::not_judged);
    CHECK(gate->text == fmt::format("Gate: not judged. The times of aten::mm are not comparable, "
                                    "because {}.",
                                    why));
}

// Neither the step nor the function is judged.
void check_not_judged(const Comparison& all, std::string_view why) {
    CHECK(all.step.verdict == Verdict::none);
    CHECK(all.step.why_not_judged == why);
    CHECK(remarks_of(all).find(fmt::format("The {}s are not judged: {}.", all.step.name, why)) !=
          std::string::npos);
    CHECK(judge(all, 0.05, "")->outcome == GateResult::Outcome::not_judged);
    check_function_not_judged(all, why);
}

constexpr const char* kDecode = "step[DECODE bs=8]";
constexpr const char* kPrefill = "step[EXTEND bs=1 toks=512]";

}  // namespace

TEST_CASE("compare: steps of one phase are named after the phase") {
    const Comparison all = servers({{kDecode, 100, 9}}, {{kDecode, 150, 9}});
    CHECK(all.phases.empty());
    CHECK(all.step.name == "decode step");
    CHECK(all.step.verdict == Verdict::slower);
    CHECK(comparison_text(all).step.starts_with("The decode step: 101 µs → 151 µs, 1.495 times"));
    const auto gate = judge(all, 0.05, "");
    CHECK(gate->outcome == GateResult::Outcome::failed);
    CHECK(gate->text.starts_with("Gate: failed. the decode step is 49.5 % slower"));
}

TEST_CASE("compare: each phase is judged by itself") {
    // More prefill steps in B: the median step is longer, although no phase is slower.
    const Comparison all =
        servers({{kDecode, 100, 20}, {kPrefill, 400, 7}}, {{kDecode, 100, 9}, {kPrefill, 400, 14}});
    REQUIRE(all.phases.size() == 2);
    CHECK(all.phases[0].name == "decode step");
    CHECK(all.phases[0].kind == CompareKind::phase);
    CHECK(all.phases[0].a.samples.size() == 20);
    CHECK(all.phases[1].name == "prefill step");
    CHECK(all.phases[1].b.samples.size() == 14);
    for (const CompareRow& phase : all.phases) CHECK(phase.verdict == Verdict::same);
    CHECK(all.step.difference > 200'000);
    CHECK(all.step.verdict == Verdict::none);
    CHECK(judge(all, 0.05, "")->outcome == GateResult::Outcome::passed);
    CHECK(remarks_of(all).find("each phase is judged by itself") != std::string::npos);
    CHECK(comparison_text(all).step.find("not judged: phases are mixed") != std::string::npos);
    CHECK(row_named(all, "aten::mm")->difference > 200'000);
    check_function_not_judged(all, "the steps have several phases, whose times differ");
    CHECK(remarks_of(all).find("over all steps and are not judged") != std::string::npos);
    check_sums(all);

    const Comparison slower =
        servers({{kDecode, 100, 20}, {kPrefill, 400, 7}}, {{kDecode, 120, 20}, {kPrefill, 400, 7}});
    CHECK(slower.phases[0].verdict == Verdict::slower);
    CHECK(slower.phases[1].verdict == Verdict::same);
    const auto gate = judge(slower, 0.05, "");
    CHECK(gate->outcome == GateResult::Outcome::failed);
    CHECK(gate->row.name == "decode step");
    CHECK(gate->text.find("the prefill step") != std::string::npos);
    CHECK(judge(slower, 0.05, "prefill step")->outcome == GateResult::Outcome::passed);
    CHECK(judge(slower, 0.05, "decode step")->outcome == GateResult::Outcome::failed);
    CHECK_FALSE(judge(slower, 0.05, "mixed step"));
}

TEST_CASE("compare: batches of different sizes are not judged") {
    const Comparison all = servers({{kDecode, 100, 9}}, {{"step[DECODE bs=16]", 150, 9}});
    check_not_judged(all, "the median batch has 8 requests in A and 16 in B");
    CHECK(row_named(all, "aten::mm")->ratio > 1.4);
    // Up to a tenth more is alike.
    CHECK(servers({{"step[DECODE bs=100]", 100, 9}}, {{"step[DECODE bs=111]", 150, 9}})
              .step.verdict == Verdict::slower);
    CHECK(servers({{"step[DECODE bs=100]", 100, 9}}, {{"step[DECODE bs=112]", 150, 9}})
              .step.verdict == Verdict::none);
    // Of prompts, tokens count.
    CHECK(servers({{kPrefill, 100, 9}}, {{"step[EXTEND bs=2 toks=512]", 150, 9}}).step.verdict ==
          Verdict::slower);
    CHECK(servers({{kPrefill, 100, 9}}, {{"step[EXTEND bs=1 toks=900]", 150, 9}}).step.verdict ==
          Verdict::none);
}

TEST_CASE("compare: a phase of one side only, and a phase with few steps") {
    const Comparison one = servers({{kDecode, 100, 9}, {kPrefill, 400, 6}}, {{kDecode, 150, 9}});
    REQUIRE(one.phases.size() == 1);
    CHECK(one.phases[0].verdict == Verdict::slower);
    CHECK(remarks_of(one).find("Only A has prefill steps.") != std::string::npos);
    const Comparison few =
        servers({{kDecode, 100, 9}, {kPrefill, 400, 2}}, {{kDecode, 100, 9}, {kPrefill, 900, 2}});
    CHECK(few.phases[1].verdict == Verdict::too_few);
    const auto gate = judge(few, 0.05, "");
    CHECK(gate->outcome == GateResult::Outcome::passed);
    CHECK(gate->text.find("A has 2 steady prefill steps and B 2") != std::string::npos);
}

TEST_CASE("compare: steps without a common phase are not judged") {
    const Comparison all = servers({{kDecode, 100, 9}}, {{kPrefill, 400, 9}});
    CHECK(all.phases.empty());
    CHECK(remarks_of(all).find("Only A has decode steps.") != std::string::npos);
    CHECK(remarks_of(all).find("Only B has prefill steps.") != std::string::npos);
    check_not_judged(all, "no phase is in both, as A has decode steps and B has prefill steps");
    check_not_judged(
        servers({{kPrefill, 100, 9}}, {{kDecode, 150, 9}, {"step[MIXED bs=4]", 400, 9}}),
        "no phase is in both, as A has prefill steps and B has decode and mixed steps");
    // Steps of unknown phase do not make the others comparable.
    constexpr const char* kNoPhase = "execute_new_0_cached_4";
    CHECK(servers({{kDecode, 100, 9}, {kNoPhase, 100, 9}}, {{kPrefill, 400, 9}, {kNoPhase, 400, 9}})
              .step.verdict == Verdict::none);
}

TEST_CASE("compare: batches of unknown phase and different sizes are not judged") {
    const Comparison equal_size =
        servers({{"execute_new_0_cached_4", 100, 9}}, {{"execute_new_0_cached_4", 150, 9}});
    CHECK(equal_size.step.name == "step");
    CHECK(equal_size.step.verdict == Verdict::slower);
    CHECK(judge(equal_size, 0.05, "")->outcome == GateResult::Outcome::failed);
    CHECK(row_named(equal_size, "aten::mm")->verdict == Verdict::slower);
    CHECK(judge(equal_size, 0.05, "aten::mm")->outcome == GateResult::Outcome::failed);
    check_not_judged(
        servers({{"execute_new_0_cached_4", 100, 9}}, {{"execute_new_0_cached_16", 150, 9}}),
        "the median batch has 4 requests in A and 16 in B");
    // Numbers of requests that cannot be read leave the phase unknown.
    check_not_judged(servers({{"execute_context_(64)_generation_(8)", 100, 9}},
                             {{"execute_context_(512)_generation_(8)", 150, 9}}),
                     "the median batch has 72 tokens in A and 520 in B");
    // A few steps of one side have a phase.
    check_not_judged(
        servers({{"execute_new_0_cached_4", 100, 9}, {"execute_new_2_cached_0", 400, 4}},
                {{"execute_new_0_cached_16", 150, 9}}),
        "the median batch has 4 requests in A and 16 in B");
}

TEST_CASE("compare: caches of different lengths are said") {
    const Comparison all = servers({{"step[DECODE bs=8 g_sqsq=8 g_sqsk=800 g_sk=800]", 100, 9}},
                                   {{"step[DECODE bs=8 g_sqsq=8 g_sqsk=9000 g_sk=9000]", 150, 9}});
    CHECK(all.step.verdict == Verdict::slower);
    CHECK(remarks_of(all).find("different lengths in the decode steps: 800 tokens in A and " +
                               format_count(9000)) != std::string::npos);
}

TEST_CASE("compare: only the steps of one phase") {
    const TracePtr trace = server({{kDecode, 100, 9}, {kPrefill, 400, 7}}).load();
    const RunProfile decode = profile_run(TraceContext(trace), {}, BatchPhase::decode);
    CHECK(decode.steps.size() == 9);
    CHECK(decode.batches.size() == 9);
    CHECK(profile_run(TraceContext(trace), {}, BatchPhase::mixed).steps.empty());
    const Comparison all = compared(decode, decode);
    CHECK(all.step.name == "decode step");
    check_sums(all);
    const TracePtr slower = server({{kDecode, 150, 9}, {kPrefill, 400, 14}}).load();
    const Comparison judged =
        compared(decode, profile_run(TraceContext(slower), {}, BatchPhase::decode));
    CHECK(row_named(judged, "aten::mm")->verdict == Verdict::slower);
    CHECK(judge(judged, 0.05, "aten::mm")->outcome == GateResult::Outcome::failed);
}

TEST_CASE("compare: phases have rows and an object of their own") {
    const Comparison all =
        servers({{kDecode, 100, 9}, {kPrefill, 400, 7}}, {{kDecode, 120, 9}, {kPrefill, 400, 7}});
    const Table table = compare_table({&all, 1});
    CHECK(table.row_count() == 1 + 2 + all.rows.size());
    const ComparedRuns runs{all, {}};
    const std::string json = write_comparisons({&runs, 1}, TableFormat::json);
    CHECK(json.find("\"phases\"") != std::string::npos);
    CHECK(json.find("\"decode step\"") < json.find("\"rows\""));
    CHECK(json.find("\"decode step\"", json.find("\"rows\": [")) == std::string::npos);
}
