// The gate of a comparison: one hypothesis, for scripts that must not let a slower program pass.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/format.h"
#include "core/insight/compare/compare_samples.h"

namespace lanescope {

namespace {

Result<CompareRow> row_of_name(const Comparison& comparison, std::string_view name) {
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

std::string change_text(const GateResult& gate) {
    if (!std::isfinite(gate.row.ratio))
        return fmt::format("takes {}, and nothing in A", format_duration(gate.row.b.time));
    if (gate.row.difference == 0) return "takes equal time";
    return fmt::format("is {} {}", format_percent(std::abs(gate.row.ratio - 1)),
                       gate.row.difference > 0 ? "slower" : "faster");
}

}  // namespace

Result<GateResult> judge(const Comparison& comparison, double threshold, std::string_view row) {
    GateResult gate;
    gate.threshold = threshold;
    if (!comparison.comparable) {
        gate.outcome = GateResult::Outcome::not_judged;
        gate.text = "Gate: not judged, because the traces are not comparable.";
        return gate;
    }
    gate.row = comparison.step;
    if (!row.empty()) {
        Result<CompareRow> found = row_of_name(comparison, row);
        if (!found) return found.error();
        gate.row = std::move(*found);
        RowTester(gate.row.a.samples.size(), gate.row.b.samples.size(), kBudgetOfOneTest)
            .measure(comparison, gate.row);
    }
    const std::size_t a = gate.row.a.samples.size();
    const std::size_t b = gate.row.b.samples.size();
    const std::string what = row.empty() ? "the " + gate.row.name : gate.row.name;
    if (!enough_samples(comparison, a, b)) {
        gate.outcome = GateResult::Outcome::not_judged;
        gate.text =
            fmt::format("Gate: not judged, because A has {} and B {}; {} on each side are needed.",
                        format_count(a, comparison.of_runs() ? "run" : "steady step",
                                     comparison.of_runs() ? "runs" : "steady steps"),
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

}  // namespace lanescope
