// Comparison of runs: what samples show, and what may be chance.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/analysis/statistics/median_bootstrap.h"
#include "core/insight/compare/compare.h"
#include "tests/core/insight/made_runs.h"
#include "tests/core/real_traces.h"

using namespace lanescope;
using namespace lanescope::testing;

namespace {

#ifdef LANESCOPE_SANITIZED
constexpr int kPairs = 50;  // each takes twenty times as long there
#else
constexpr int kPairs = 200;
#endif

// Draws halves of a run as circular blocks of consecutive steps, so that slow drifts stay in them,
// and compares two at a time: no alarm is justified.
struct FalseAlarms {
    int gates = 0;
    int verdicts = 0;  // comparisons with a slower or faster function

    FalseAlarms(const RunProfile& run, std::size_t block, int pairs) {
        FixedRandom random(42);
        for (int pair = 0; pair < pairs; ++pair) {
            const RunProfile first = half_of(run, block, random);
            const Comparison all = compared(first, half_of(run, block, random));
            gates += judge(all, 0.01, "")->outcome == GateResult::Outcome::failed ? 1 : 0;
            verdicts += std::ranges::any_of(all.rows, [](const CompareRow& row) {
                return row.verdict == Verdict::slower || row.verdict == Verdict::faster;
            });
        }
    }

    static RunProfile half_of(const RunProfile& run, std::size_t block, FixedRandom& random) {
        const std::size_t count = run.steps.size();
        std::vector<std::vector<uint32_t>> places(count);  // in the half, by step
        RunProfile half = run;
        half.steps.clear();
        while (half.steps.size() < count / 2) {
            const std::size_t begin = random.below(count);
            for (std::size_t i = 0; i < block; ++i) {
                const std::size_t step = (begin + i) % count;
                places[step].push_back(static_cast<uint32_t>(half.steps.size()));
                half.steps.push_back(run.steps[step]);
            }
        }
        FunctionTree& tree = half.functions;
        tree.shares.clear();
        for (uint32_t node = 0; node < tree.nodes.size(); ++node) {
            tree.first_share[node] = static_cast<uint32_t>(tree.shares.size());
            for (const FunctionShare& share : run.functions.shares_of(node))
                for (const uint32_t place : places[share.step]) {
                    tree.shares.push_back(share);
                    tree.shares.back().step = place;
                }
            std::ranges::sort(tree.shares.begin() + tree.first_share[node], tree.shares.end(), {},
                              &FunctionShare::step);
        }
        tree.first_share.back() = static_cast<uint32_t>(tree.shares.size());
        return half;
    }
};

}  // namespace

TEST_CASE("compare: fewer than five steps show nothing, and the gate says so") {
    const auto run = [](int steps, double time) {
        RunMaker maker;
        for (int i = 0; i < steps; ++i) {
            const double begin = 5000 * i;
            maker.call("user_annotation", fmt::format("ProfilerStep#{}", i), begin,
                       begin + time + i);
            op(maker, "aten::mm", begin + 10, time - 100);
        }
        return maker.profile();
    };
    const Comparison few = compared(run(4, 1000), run(9, 2000));
    CHECK(few.step.verdict == Verdict::too_few);
    CHECK(std::isnan(few.step.p));
    CHECK(judge(few, 0.05, "")->outcome == GateResult::Outcome::not_judged);
    const Comparison enough = compared(run(5, 1000), run(9, 2000));
    CHECK(enough.step.verdict == Verdict::slower);
    CHECK(enough.step.p == doctest::Approx(2.0 / 2002));
    CHECK(judge(enough, 0.05, "")->outcome == GateResult::Outcome::failed);
    CHECK(judge(enough, 1.5, "")->outcome == GateResult::Outcome::passed);
    CHECK(judge(enough, 0.05, "aten::mm")->outcome == GateResult::Outcome::failed);
    CHECK_FALSE(judge(enough, 0.05, "aten::nothing"));
    // The other way round it is faster.
    CHECK(judge(compared(run(9, 2000), run(5, 1000)), 0, "")->outcome ==
          GateResult::Outcome::passed);
}

TEST_CASE("compare: a drift is no change, but a distance beyond the drift is") {
    const auto run = [](double time, double drift) {
        return run_of(12, [=](RunMaker& maker, double begin, int i) {
            op(maker, "aten::mm", begin + 10, time + drift * i);
        });
    };
    const auto verdict = [](const Comparison& all) { return row_named(all, "aten::mm")->verdict; };
    // Twelve steps that get slower, and twelve that continue the drift: p is below 1e-5.
    const Comparison drifting = compared(run(300, 5), run(360, 5));
    CHECK(row_named(drifting, "aten::mm")->p < 1e-5);
    CHECK(verdict(drifting) == Verdict::unclear);
    CHECK(verdict(compared(run(300, 5), run(500, 5))) == Verdict::slower);
    CHECK(verdict(compared(run(500, 5), run(300, 5))) == Verdict::faster);
}

TEST_CASE("compare: a new run is judged by how others vary") {
    const auto run = [](double time) {
        return run_of(3, [=](RunMaker& maker, double begin, int) {
            op(maker, "aten::mm", begin + 10, time);
            maker.call("cpu_op", "aten::item", begin + 10 + time, begin + 900);
        });
    };
    std::vector<RunProfile> runs;
    for (const double time : {300.0, 302.0, 298.0, 301.0, 299.0}) runs.push_back(run(time));
    const std::vector<RunProfile> usual = {run(301)};
    const std::vector<RunProfile> slow = {run(350)};
    const Comparison same = compare_runs(runs, usual);
    CHECK(same.of_runs());
    CHECK(same.step.a.samples.size() == 5);
    CHECK(judge(same, 0, "aten::mm")->outcome == GateResult::Outcome::passed);
    const Comparison slower = compare_runs(runs, slow);
    const auto gate = judge(slower, 0.05, "aten::mm");
    REQUIRE(gate);
    CHECK(gate->outcome == GateResult::Outcome::failed);
    // 50 µs more, with a deviation of 1.581 µs: t = 50 / (1.581 × sqrt(1.2)) with 4 degrees.
    CHECK(gate->row.a.time == 310'000);
    CHECK(gate->row.b.time == 360'000);
    CHECK(gate->row.p < 1e-5);
}

TEST_CASE("compare: at most 2 % false alarms between halves of one run") {
    const auto check_alarms = [](const RunProfile& run, std::size_t block) {
        const FalseAlarms alarms(run, block, kPairs);
        CHECK(alarms.gates <= kPairs / 50);
        CHECK(alarms.verdicts <= kPairs / 50);
    };
    // A run of 60 steps with noise that lasts for a few steps, in one function.
    FixedRandom random(42);
    double drift = 0;
    const RunProfile run = run_of(60, [&](RunMaker& maker, double begin, int) {
        drift = 0.6 * drift + static_cast<double>(random.below(20)) - 10;
        op(maker, "aten::mm", begin + 10, 400 + drift);
        op(maker, "aten::relu", begin + 600, 50 + static_cast<double>(random.below(10)));
    });
    check_alarms(run, 6);
    for (const std::string& name : traces_here({"torch/rtx2080ti_resnet.json.gz"})) {
        const TracePtr trace = load_real_trace(name);
        REQUIRE(trace);
        const RunProfile real = profile_run(TraceContext(trace), {});
        REQUIRE(real.steps.size() >= 25);
        check_alarms(real, 5);
    }
}

TEST_CASE("compare: of many functions, chance alone lets some seem to differ") {
    // Eight steps on each side, without trends; one function of fifty whose samples do not overlap
    // by much.
    const auto run = [](double more) {
        return run_of(8, [=](RunMaker& maker, double begin, int i) {
            constexpr int kOrder[] = {3, 7, 0, 5, 2, 6, 1, 4};
            op(maker, "aten::mm", begin + 5, 4.0 * kOrder[i] + more + 20);
            for (int f = 0; f < 49; ++f)
                op(maker, fmt::format("aten::f{}", f), begin + 100 + 18 * f, 5 + f % 3);
        });
    };
    const Comparison all = compared(run(0), run(23));
    const CompareRow* const mm = row_named(all, "aten::mm");
    REQUIRE(mm);
    CHECK(mm->p < 0.01);
    CHECK(mm->p_holm > 0.01);
    CHECK(mm->verdict == Verdict::unclear);
    // Tested alone, the difference is significant.
    CHECK(judge(all, 0.05, "aten::mm")->outcome == GateResult::Outcome::failed);
    // Farther apart, it is not with fifty either.
    const Comparison apart = compared(run(0), run(45));
    CHECK(row_named(apart, "aten::mm")->p_holm < 0.01);
    CHECK(row_named(apart, "aten::mm")->verdict == Verdict::slower);
}
