#include "core/insight/compare/compare_remarks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/format.h"
#include "core/insight/compare/compare_rows.h"
#include "core/insight/compare/compare_samples.h"

namespace lanescope {

namespace {

// A larger remainder, relative to the step, is explained.
constexpr double kLargeRemainder = 0.1;

std::vector<CompareFact> facts_of(const RunProfile& a, const RunProfile& b) {
    std::vector<CompareFact> facts;
    for (const RunFact& fact : a.facts) facts.push_back({fact.key, fact.value, "", false});
    for (const RunFact& fact : b.facts) {
        const auto found = std::ranges::find(facts, fact.key, &CompareFact::key);
        if (found == facts.end())
            facts.push_back({fact.key, "", fact.value, false});
        else
            found->b = fact.value;
    }
    std::erase_if(facts, [](const CompareFact& fact) { return fact.a.empty() && fact.b.empty(); });
    for (CompareFact& fact : facts) fact.differs = fact.a != fact.b;
    return facts;
}

std::string runs_text(std::span<const RunProfile> runs) {
    if (runs.size() > 1) return fmt::format("{} runs", runs.size());
    const RunProfile& run = runs.front();
    if (run.source == StepSource::none) return "no steps";
    std::string text = format_count(run.steps.size(), "steady step", "steady steps");
    if (run.warm_up > 0) text += fmt::format(", {} of warm-up left out", run.warm_up);
    return text;
}

// Writes the remarks that are shown before the numbers. Sets `comparable`.
void add_comparability(std::span<const RunProfile> a, std::span<const RunProfile> b,
                       Comparison& all) {
    const RunProfile& one = a.front();
    const RunProfile& two = b.front();
    const auto stop = [&](std::string text) {
        all.comparable = false;
        all.remarks.push_back(std::move(text));
    };
    for (const std::span<const RunProfile> runs : {a, b})
        for (const RunProfile& run : runs) {
            if (!run.incomplete.empty())
                all.remarks.push_back(fmt::format("{}: {}", run.name, run.incomplete));
            if (run.empty() || run.steps.empty())
                stop(
                    fmt::format("{} has no calls and no GPU work in its steady steps: there is "
                                "nothing to compare.",
                                run.name));
        }
    if (!all.comparable) return;
    for (const RunProfile* run : {&one, &two})
        if (!run->ahead.empty())
            all.remarks.push_back(fmt::format("{}: {}", run == &one ? "A" : "B", run->ahead));
    const auto has_steps = [](const RunProfile& run) { return run.source != StepSource::none; };
    for (const std::span<const RunProfile> runs : {a, b})
        for (const RunProfile& run : runs)
            if (has_steps(run) != has_steps(one))
                return stop(fmt::format(
                    "{} has steps and {} has none: the time of a step and the time of a whole "
                    "trace are not comparable. Mark the steps of both programs, with "
                    "profiler.step() or with a record_function around each.",
                    has_steps(one) ? one.name : run.name, has_steps(one) ? run.name : one.name));
    if (!have_common_names(one.functions, two.functions))
        return stop(
            "The two share no function: no module, operator, annotation or kernel has the same "
            "name. They are traces of different programs, and their times say nothing about each "
            "other.");
    if (one.has_gpu_work != two.has_gpu_work)
        all.remarks.emplace_back(
            fmt::format("Only {} has GPU work: times on a GPU are compared with times on the CPU.",
                        one.has_gpu_work ? "A" : "B"));
    if (one.source != two.source)
        all.remarks.emplace_back(
            "The steps were found in different ways: make sure that a step is the same work in "
            "both.");
    if (one.has_modules != two.has_modules)
        all.remarks.emplace_back(
            fmt::format("Only {} has recorded modules: functions are compared without them.",
                        one.has_modules ? "A" : "B"));
    if (one.has_shapes != two.has_shapes)
        all.remarks.emplace_back(
            fmt::format("Only {} has recorded input shapes: whether they are equal is not known.",
                        one.has_shapes ? "A" : "B"));
    if (!has_steps(one))
        all.remarks.emplace_back(
            "Neither has steps: each whole trace is one sample, so chance cannot be judged.");
}

bool is_near(double ratio, double factor) {
    constexpr double kTolerance = 0.05;
    return std::abs(ratio / factor - 1) < kTolerance;
}

// The factor between units of time by which nearly every function and the step differ; 0: none.
double factor_of_units(std::span<const CompareRow> rows, const CompareRow& step) {
    constexpr double kNearlyAll = 0.9;  // of the time that both runs have
    if (!(step.a.time > 0)) return 0;
    for (const double factor : {1e3, 1e-3, 1e6, 1e-6}) {
        if (!is_near(step.b.time / step.a.time, factor)) continue;
        double common = 0;
        double alike = 0;
        for (const CompareRow& row : rows) {
            if (row.kind != CompareKind::function || !(row.a.time > 0) || !(row.b.time > 0))
                continue;
            common += row.a.time;
            if (is_near(row.b.time / row.a.time, factor)) alike += row.a.time;
        }
        if (common > 0 && alike >= kNearlyAll * common) return factor;
    }
    return 0;
}

std::string name_of_side(std::span<const RunProfile> runs) {
    return runs.size() == 1 ? runs.front().name
                            : fmt::format("{} runs, {} the first", runs.size(), runs.front().name);
}

}  // namespace

void add_remarks(std::span<const RunProfile> a, std::span<const RunProfile> b, Comparison& all) {
    all.name_a = name_of_side(a);
    all.name_b = name_of_side(b);
    all.facts = facts_of(a.front(), b.front());
    all.facts.push_back({"samples", runs_text(a), runs_text(b), false});
    add_comparability(a, b, all);
}

void add_remark_on_units(Comparison& all) {
    const double factor = factor_of_units(all.rows, all.step);
    if (factor == 0) return;
    all.remarks.push_back(fmt::format(
        "The times in {} are {} times those in {}, in the step and in nearly every function: one "
        "of the files gives its times in another unit than its format says.",
        factor > 1 ? "B" : "A", format_count(std::llround(std::max(factor, 1 / factor))),
        factor > 1 ? "A" : "B"));
}

void add_notes(Comparison& all) {
    const CompareRow& step = all.step;
    if (all.tested > 0 && step.verdict != Verdict::too_few && !(all.least_p_holm < kMaxChance))
        all.notes.push_back(
            fmt::format("With {} and {} samples, no difference of a single function among {} can "
                        "be significant; record "
                        "more steps.",
                        step.a.samples.size(), step.b.samples.size(), all.tested));
    const CompareRow& rest = all.rows.back();
    if (std::max(std::abs(rest.a.time) / step.a.time, std::abs(rest.b.time) / step.b.time) >
        kLargeRemainder)
        all.notes.emplace_back(
            "Steps differ much among themselves: the medians of functions do not add up to the "
            "median step, and much is not attributed.");
    all.notes.emplace_back(
        all.of_runs() ? "Each sample is the median of a run."
                      : "One run was compared with one run: this shows a difference between these "
                        "runs, not its cause. Compare several runs of each with --baseline.");
}

}  // namespace lanescope
