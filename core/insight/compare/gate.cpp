// The gate of a comparison: one hypothesis, for scripts that must not let a slower program pass.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/format.h"
#include "core/insight/compare/compare_samples.h"

namespace lanescope {

namespace {

Result<CompareRow> row_of_name(const Comparison& comparison, std::string_view name) {
    if (comparison.step.name == name) return comparison.step;
    for (const CompareRow& phase : comparison.phases)
        if (phase.name == name) return phase;
    std::optional<CompareRow> sum;
    for (const CompareRow& row : comparison.all_functions) {
        const std::string whole = row.path.empty() ? row.name : row.path + " > " + row.name;
        if (row.name != name && whole != name) continue;
        if (sum)
            add_row(*sum, row);
        else
            sum = row;
    }
    if (sum) return *sum;
    std::string alike;
    std::size_t found = 0;
    for (const CompareRow& row : comparison.rows)
        if (row.kind == CompareKind::function && row.name.find(name) != std::string::npos &&
            ++found <= 5)
            alike += (alike.empty() ? "" : ", ") + row.name;
    return Error{ErrorCode::usage, Error::no_offset,
                 alike.empty() ? fmt::format("no function is named {}", name)
                               : fmt::format("no function is named {}; there is {}", name, alike)};
}

// "steady step", "steady decode steps".
std::string samples_text(const CompareRow& row, bool several) {
    const std::string step = row.kind == CompareKind::phase ? row.name : "step";
    return fmt::format("steady {}{}", step, several ? "s" : "");
}

std::string change_text(const GateResult& gate) {
    if (!std::isfinite(gate.row.ratio))
        return fmt::format("takes {}, and nothing in A", format_duration(gate.row.b.time));
    if (gate.row.difference == 0) return "takes equal time";
    return fmt::format("is {} {}", format_percent(std::abs(gate.row.ratio - 1)),
                       gate.row.difference > 0 ? "slower" : "faster");
}

// `what`: "the step", or the name of a function.
GateResult judge_measured(const Comparison& comparison, double threshold, CompareRow row,
                          const std::string& what) {
    GateResult gate;
    gate.threshold = threshold;
    gate.row = std::move(row);
    const std::size_t a = gate.row.a.samples.size();
    const std::size_t b = gate.row.b.samples.size();
    if (!gate.row.why_not_judged.empty()) {
        gate.outcome = GateResult::Outcome::not_judged;
        gate.text = fmt::format("Gate: not judged. The times of {} are not comparable, because {}.",
                                what, gate.row.why_not_judged);
        return gate;
    }
    if (!enough_samples(comparison, a, b)) {
        gate.outcome = GateResult::Outcome::not_judged;
        gate.text = fmt::format(
            "Gate: not judged, because A has {} and B {}; {} on each side are needed.",
            format_count(a, comparison.of_runs() ? "run" : samples_text(gate.row, false),
                         comparison.of_runs() ? "runs" : samples_text(gate.row, true)),
            b, kMinSamples);
        return gate;
    }
    const bool slower = gate.row.b.time > gate.row.a.time * (1 + threshold);
    const bool sure = gate.row.p < kMaxChance;
    if (slower && sure) gate.outcome = GateResult::Outcome::failed;
    gate.text = fmt::format(
        "Gate: {}. {} {} (p = {:.2g}); it fails if more than {} slower with p below {}.",
        slower && sure ? "failed" : "passed", what, change_text(gate), gate.row.p,
        format_percent(threshold), kMaxChance);
    return gate;
}

// Fails if a phase fails; passes if no phase fails and at least one can be judged.
GateResult judge_phases(const Comparison& comparison, double threshold) {
    std::vector<GateResult> gates;
    std::string text;
    for (const CompareRow& phase : comparison.phases) {
        gates.push_back(judge_measured(comparison, threshold, phase, "the " + phase.name));
        text += (text.empty() ? "" : " ") + gates.back().text;
    }
    const auto rank = [](const GateResult& gate) {
        constexpr std::array ranks = {1, 2, 0};  // passed, failed, not judged
        return std::pair(ranks[static_cast<std::size_t>(gate.outcome)],
                         std::isfinite(gate.row.ratio) ? gate.row.ratio : 0);
    };
    GateResult gate = *std::ranges::max_element(gates, {}, rank);
    gate.text = text;
    return gate;
}

}  // namespace

Result<GateResult> judge(const Comparison& comparison, double threshold, std::string_view row) {
    if (!comparison.comparable) {
        GateResult gate;
        gate.threshold = threshold;
        gate.outcome = GateResult::Outcome::not_judged;
        gate.text = "Gate: not judged, because the traces are not comparable.";
        return gate;
    }
    if (row.empty() && !comparison.phases.empty()) return judge_phases(comparison, threshold);
    if (row.empty())
        return judge_measured(comparison, threshold, comparison.step,
                              "the " + comparison.step.name);
    Result<CompareRow> found = row_of_name(comparison, row);
    if (!found) return found.error();
    RowTester(found->a.samples.size(), found->b.samples.size(), kBudgetOfOneTest)
        .measure(comparison, *found);
    const bool is_step = found->kind == CompareKind::phase || found->name == comparison.step.name;
    if (!is_step) found->why_not_judged = comparison.step.why_not_judged;
    const std::string what = is_step ? "the " + found->name : found->name;
    return judge_measured(comparison, threshold, std::move(*found), what);
}

}  // namespace lanescope
