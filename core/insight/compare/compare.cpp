#include "core/insight/compare/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "core/base/format.h"
#include "core/insight/compare/compare_phases.h"
#include "core/insight/compare/compare_remarks.h"
#include "core/insight/compare/compare_rows.h"
#include "core/insight/compare/compare_samples.h"

namespace lanescope {

namespace {

// Functions below this share of the step are put together by name; sums below the second one are
// not tested.
constexpr double kOwnRow = 0.005;
constexpr double kTestedRow = 0.0005;
// If common functions take less than this share of both runs, the programs may differ.
constexpr double kOneProgram = 0.1;

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

// The row "not attributed": the step's median minus the medians of all rows.
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

// The part of the steps' time in functions that both runs have, of the larger part of the two.
double share_in_common(std::span<const CompareRow> functions, const CompareRow& step) {
    double a = 0;
    double b = 0;
    for (const CompareRow& row : functions) {
        if (row.verdict != Verdict::none) continue;
        a += mean_of(row.a.samples);
        b += mean_of(row.b.samples);
    }
    return std::max(a / std::max(mean_of(step.a.samples), 1.0),
                    b / std::max(mean_of(step.b.samples), 1.0));
}

void add_rows(std::vector<CompareRow> functions, const CompareOptions& options, RowTester& tester,
              Comparison& all) {
    std::vector<CompareRow> rows = with_small_together(std::move(functions), all.step);
    const auto untested = std::stable_partition(
        rows.begin(), rows.end(),
        [&](const CompareRow& row) { return share_of_step(row, all.step) >= kTestedRow; });
    std::vector<CompareRow> others(std::make_move_iterator(untested),
                                   std::make_move_iterator(rows.end()));
    rows.erase(untested, rows.end());
    std::vector<double> p, p_in_sequence;
    for (CompareRow& row : rows) {
        tester.measure(all, row);
        p.push_back(row.p);
        p_in_sequence.push_back(chance_of(all, row));
    }
    const std::vector<double> adjusted = holm(p);
    const std::vector<double> chance = holm(p_in_sequence);
    all.tested = rows.size();
    all.least_p_holm = least_p(all.step.a.samples.size(), all.step.b.samples.size()) *
                       static_cast<double>(all.tested);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        rows[i].p_holm = adjusted[i];
        // With other batches, or other proportions of phases, more time is no regression.
        if (all.step.why_not_judged.empty())
            judge_row(chance[i], all.least_p_holm, all.step.a.time, rows[i]);
        for (const uint32_t function : rows[i].functions)
            all.all_functions[function].verdict = rows[i].verdict;
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
        case CompareKind::phase:
            return "phase";
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
    all.runs_a = a.size();
    all.runs_b = b.size();
    add_remarks(a, b, all);
    all.compiled = compare_compiled_code(a.front().compiled, b.front().compiled);
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
    judge_row(chance_of(all, all.step), least_p(side_a.samples(), side_b.samples()),
              all.step.a.time, all.step);
    add_phases(a, b, all);
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
    if (share_in_common(functions.rows, all.step) < kOneProgram)
        all.remarks.emplace_back(
            "Less than a tenth of the time is in functions that both runs have: these may be "
            "different programs, or one was compiled as a whole.");
    for (uint32_t i = 0; i < functions.rows.size(); ++i) functions.rows[i].functions = {i};
    all.all_functions = functions.rows;
    all.places = std::move(functions.places);
    add_rows(std::move(functions.rows), options, tester, all);
    add_remark_on_units(all);
    add_notes(all);
    return all;
}

}  // namespace lanescope
