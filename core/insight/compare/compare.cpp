#include "core/insight/compare/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "core/base/format.h"
#include "core/insight/compare/compare_rows.h"
#include "core/insight/compare/compare_samples.h"

namespace lanescope {

namespace {

// Functions below this share of the step are put together by name; sums below the second one are
// not tested.
constexpr double kOwnRow = 0.005;
constexpr double kTestedRow = 0.0005;

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

// What a reader must know before the numbers. Sets `comparable`.
void add_remarks(std::span<const RunProfile> a, std::span<const RunProfile> b, Comparison& all) {
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
        all.remarks.push_back(
            fmt::format("Only {} has GPU work: times on a GPU are compared with times on the CPU.",
                        one.has_gpu_work ? "A" : "B"));
    if (one.source != two.source)
        all.remarks.push_back(
            "The steps were found in different ways: make sure that a step is the same work in "
            "both.");
    if (one.has_modules != two.has_modules)
        all.remarks.push_back(
            fmt::format("Only {} has recorded modules: functions are compared without them.",
                        one.has_modules ? "A" : "B"));
    if (one.has_shapes != two.has_shapes)
        all.remarks.push_back(
            fmt::format("Only {} has recorded input shapes: whether they are equal is not known.",
                        one.has_shapes ? "A" : "B"));
    if (!has_steps(one))
        all.remarks.push_back(
            "Neither has steps: each whole trace is one sample, so chance cannot be judged.");
}

std::string name_of_side(std::span<const RunProfile> runs) {
    return runs.size() == 1 ? runs.front().name
                            : fmt::format("{} runs, {} the first", runs.size(), runs.front().name);
}

double mean_of(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value;
    return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

// The row's larger time as a share of the larger step. Means see what happens in few steps only.
double share_of_step(const CompareRow& row, const CompareRow& step) {
    return std::max(mean_of(row.a.samples), mean_of(row.b.samples)) /
           std::max({step.a.time, step.b.time, 1.0});
}

// Functions with little time: those of one name are put together.
std::vector<CompareRow> with_small_together(std::vector<CompareRow> rows, const CompareRow& step) {
    std::vector<CompareRow> kept;
    std::map<std::pair<std::string, Verdict>, std::size_t> places;
    for (CompareRow& row : rows) {
        if (share_of_step(row, step) >= kOwnRow) {
            kept.push_back(std::move(row));
            continue;
        }
        const auto [found, added] = places.try_emplace({row.name, row.verdict}, kept.size());
        if (added) {
            kept.push_back(std::move(row));
            continue;
        }
        CompareRow& sum = kept[found->second];
        if (sum.path != row.path) sum.path.clear();
        if (sum.a.shapes != row.a.shapes) sum.a.shapes.clear();
        if (sum.b.shapes != row.b.shapes) sum.b.shapes.clear();
        add_row(sum, row);
    }
    return kept;
}

CompareRow sum_of_others(std::span<const CompareRow> rows, const Comparison& all,
                         RowTester& tester) {
    CompareRow others;
    others.kind = CompareKind::others;
    others.places = 0;
    for (const CompareRow& row : rows) add_row(others, row);
    others.a.longest = others.b.longest = {};
    others.name = format_count(others.places, "other function", "other functions");
    tester.measure(all, others);
    others.p = others.p_holm = std::numeric_limits<double>::quiet_NaN();
    return others;
}

// What the medians of the rows leave of the median of the step.
CompareRow remainder_of(const Comparison& all) {
    CompareRow rest;
    rest.kind = CompareKind::remainder;
    rest.name = "not attributed";
    rest.places = 0;
    rest.a.time = all.step.a.time;
    rest.b.time = all.step.b.time;
    rest.a.gpu = rest.b.gpu = rest.a.calls = rest.b.calls =
        std::numeric_limits<double>::quiet_NaN();
    for (const CompareRow& row : all.rows) {
        rest.a.time -= row.a.time;
        rest.b.time -= row.b.time;
    }
    rest.difference = rest.b.time - rest.a.time;
    rest.ratio = rest.ratio_low = rest.ratio_high = rest.p = rest.p_holm =
        std::numeric_limits<double>::quiet_NaN();
    return rest;
}

void add_rows(std::vector<CompareRow> functions, const CompareOptions& options, RowTester& tester,
              Comparison& all) {
    std::vector<CompareRow> rows = with_small_together(std::move(functions), all.step);
    const auto untested = std::ranges::stable_partition(
        rows, [&](const CompareRow& row) { return share_of_step(row, all.step) >= kTestedRow; });
    std::vector<CompareRow> others(std::make_move_iterator(untested.begin()),
                                   std::make_move_iterator(untested.end()));
    rows.erase(untested.begin(), untested.end());
    std::vector<double> p;
    for (CompareRow& row : rows) {
        tester.measure(all, row);
        p.push_back(row.p);
    }
    const std::vector<double> adjusted = holm(p);
    all.tested = rows.size();
    all.least_p_holm = least_p(all.step.a.samples.size(), all.step.b.samples.size()) *
                       static_cast<double>(all.tested);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        rows[i].p_holm = adjusted[i];
        judge_row(adjusted[i], all.least_p_holm, all.step.a.time, rows[i]);
    }
    std::ranges::stable_sort(rows, std::greater<>(), [](const CompareRow& row) {
        return std::pair(std::abs(row.difference), row.a.time);
    });
    if (options.top > 0 && rows.size() > options.top) {
        others.insert(others.begin(), rows.begin() + static_cast<std::ptrdiff_t>(options.top),
                      rows.end());
        rows.resize(options.top);
    }
    all.rows = std::move(rows);
    if (!others.empty()) all.rows.push_back(sum_of_others(others, all, tester));
    all.rows.push_back(remainder_of(all));
}

}  // namespace

std::string_view verdict_name(Verdict verdict) {
    switch (verdict) {
        case Verdict::same:
            return "same";
        case Verdict::slower:
            return "slower";
        case Verdict::faster:
            return "faster";
        case Verdict::unclear:
            return "unclear";
        case Verdict::too_few:
            return "too few";
        case Verdict::added:
            return "new";
        case Verdict::gone:
            return "gone";
        case Verdict::split:
            return "split";
        case Verdict::fused:
            return "fused";
        case Verdict::replaced:
            return "replaced";
        case Verdict::none:
            return "";
    }
    return "";
}

std::string_view compare_kind_name(CompareKind kind) {
    switch (kind) {
        case CompareKind::step:
            return "step";
        case CompareKind::function:
            return "function";
        case CompareKind::others:
            return "others";
        case CompareKind::remainder:
            return "remainder";
    }
    return "";
}

Comparison compare_runs(std::span<const RunProfile> a, std::span<const RunProfile> b,
                        const CompareOptions& options) {
    Comparison all;
    all.name_a = name_of_side(a);
    all.name_b = name_of_side(b);
    all.runs_a = a.size();
    all.runs_b = b.size();
    all.facts = facts_of(a.front(), b.front());
    all.facts.push_back({"samples", runs_text(a), runs_text(b), false});
    add_remarks(a, b, all);
    if (!all.comparable) return all;
    const FunctionLevels levels{a.front().has_modules && b.front().has_modules,
                                a.front().has_shapes && b.front().has_shapes};
    const RunsOfSide side_a(a, levels, all.of_runs());
    const RunsOfSide side_b(b, levels, all.of_runs());
    RowTester tester(side_a.samples(), side_b.samples(), kBudgetOfManyTests);
    all.step.kind = CompareKind::step;
    all.step.name = a.front().source == StepSource::none ? "whole trace" : "step";
    all.step.a.samples = side_a.samples_of_step();
    all.step.b.samples = side_b.samples_of_step();
    RowTester(side_a.samples(), side_b.samples(), kBudgetOfOneTest).measure(all, all.step);
    judge_row(all.step.p, least_p(side_a.samples(), side_b.samples()), all.step.a.time, all.step);
    RowsOfFunctions functions = rows_of_functions(side_a, side_b);
    const auto sum_on = [](const RunsOfSide& side) {
        std::vector<uint32_t> nodes(side.functions().nodes.size());
        for (uint32_t i = 0; i < nodes.size(); ++i) nodes[i] = i;
        return median_of_any(side.samples_of(
            nodes, [](const FunctionShare& share) { return static_cast<double>(share.gpu); }));
    };
    all.step.a.gpu = sum_on(side_a);
    all.step.b.gpu = sum_on(side_b);
    all.step.a.calls = all.step.b.calls = 1;
    if (functions.with_shapes > 0)
        all.facts.push_back({"functions with other input shapes", "",
                             fmt::format("{} of {}", functions.other_shapes, functions.with_shapes),
                             functions.other_shapes > 0});
    all.all_functions = functions.rows;
    add_rows(std::move(functions.rows), options, tester, all);
    return all;
}

}  // namespace lanescope
