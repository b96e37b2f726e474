// A comparison as tables.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/insight/compare/compare.h"
#include "core/insight/compare/function_names.h"
#include "core/table/cells.h"
#include "core/trace/short_name.h"

namespace lanescope {

struct CompareTableRow {
    const Comparison& comparison;
    const CompareRow& row;

    std::string inside_a = names_inside(row.a);
    std::string inside_b = names_inside(row.b);
};

namespace {

constexpr std::string_view kNotTested =
    "fewer than five samples on a side, or a row that is not tested";

// The samples of the row's phase; for rows without a phase, all samples.
std::pair<int64_t, int64_t> samples_of_row(const CompareTableRow& row) {
    const bool phase = row.row.kind == CompareKind::phase;
    const CompareRow& counted = phase ? row.row : row.comparison.step;
    return {static_cast<int64_t>(counted.a.samples.size()),
            static_cast<int64_t>(counted.b.samples.size())};
}

constexpr auto kTimesOfFunctions = columns<CompareTableRow>({
    {{"function", Unit::none, kDistinct, "",
      "A module, operator or kernel. \"(outside of functions)\": in none of them. Two names: the "
      "first in A, the second in B. Functions of one name that take less than 0.5 % of a step each "
      "are put together."},
     [](const CompareTableRow& row) { return std::string_view(row.row.name); }},
    {shown_first(
         {"verdict", Unit::none, kDistinct, "it is not tested",
          "slower, faster: p_holm (of the step p) is below 0.01, also if p is corrected for the "
          "correlation between successive steps, unless the samples are farther apart than each "
          "spreads. same: equal, or surely within 2 %, or a difference below 0.1 % of the step. "
          "unclear: the difference may be chance. too few: with so few samples and so many rows, "
          "any may. new, gone: only in B, only in A. split, fused, replaced: other functions stand "
          "in its place."}),
     [](const CompareTableRow& row) { return known_text(verdict_name(row.row.verdict)); }},
    {shown_first({"a_ns", Unit::nanoseconds, kNoAggregate, "",
                  "Median over the steady steps of A of the function's time in a step. Each moment "
                  "of a step counts for one function: for the one that launched the GPU work that "
                  "runs (computing before communication, copies and sets; then what began first) "
                  "or, if none runs, for the one that the host is in."}),
     [](const CompareTableRow& row) { return row.row.a.time; }},
    {shown_first({"b_ns", Unit::nanoseconds, kNoAggregate, "", "The same of B."}),
     [](const CompareTableRow& row) { return row.row.b.time; }},
    {shown_first({"difference_ns", Unit::nanoseconds, kSum, "",
                  "b_ns - a_ns. The rows other than the step and its phases add up to the step."}),
     [](const CompareTableRow& row) { return row.row.difference; }},
    {shown_first(
         {"difference_share", Unit::ratio, kSum, "",
          "difference_ns as a fraction of a step of A; in the row of a phase, of such a step."}),
     [](const CompareTableRow& row) {
         const bool phase = row.row.kind == CompareKind::phase;
         return row.row.difference / (phase ? row.row : row.comparison.step).a.time;
     }},
    {shown_first({"ratio", Unit::none, kNoAggregate, "A has none of it", "b_ns / a_ns."}),
     [](const CompareTableRow& row) { return row.row.ratio; }},
    {shown_first({"ratio_low", Unit::none, kNoAggregate, kNotTested,
                  "Lower end of the 95 % interval of ratio, by the bootstrap."}),
     [](const CompareTableRow& row) { return row.row.ratio_low; }},
    {shown_first({"ratio_high", Unit::none, kNoAggregate, kNotTested, "Its upper end."}),
     [](const CompareTableRow& row) { return row.row.ratio_high; }},
    {{"path", Unit::none, kDistinct, "it is in no other function",
      "The functions around it, the outermost first; without Python functions, if there are "
      "operators."},
     [](const CompareTableRow& row) { return known_text(row.row.path); }},
});

constexpr auto kDetailsOfFunctions = columns<CompareTableRow>({
    {{"p_holm", Unit::none, kNoAggregate, kNotTested,
      "p corrected by Holm's method for the number of functions tested."},
     [](const CompareTableRow& row) { return row.row.p_holm; }},
    {{"p", Unit::none, kNoAggregate, kNotTested,
      "Probability that chance alone gives such a difference: two-sided Mann-Whitney test, exact "
      "for small samples; of one new run, by Student's t against the other runs."},
     [](const CompareTableRow& row) { return row.row.p; }},
    {{"a_gpu_ns", Unit::nanoseconds, kNoAggregate, "of a remainder",
      "The part of a_ns in which GPU work runs, median; in the rest the GPU has nothing to do."},
     [](const CompareTableRow& row) { return row.row.a.gpu; }},
    {{"b_gpu_ns", Unit::nanoseconds, kNoAggregate, "of a remainder", "The same of b_ns."},
     [](const CompareTableRow& row) { return row.row.b.gpu; }},
    {{"a_calls", Unit::none, kNoAggregate, "of a remainder", "Calls in a step of A, median."},
     [](const CompareTableRow& row) { return row.row.a.calls; }},
    {{"b_calls", Unit::none, kNoAggregate, "of a remainder", "Calls in a step of B, median."},
     [](const CompareTableRow& row) { return row.row.b.calls; }},
    {on_request({"places", Unit::none, kNoAggregate, "",
                 "Functions of this name that were put together."}),
     [](const CompareTableRow& row) { return static_cast<int64_t>(row.row.places); }},
    {{"a_inside", Unit::none, kDistinct, "nothing else was recorded",
      "The kernels, driver calls or Python functions in a_ns with most time."},
     [](const CompareTableRow& row) { return known_text(row.inside_a); }},
    {{"b_inside", Unit::none, kDistinct, "nothing else was recorded", "The same in b_ns."},
     [](const CompareTableRow& row) { return known_text(row.inside_b); }},
    {on_request({"a_shapes", Unit::none, kDistinct, "not recorded, or of several functions",
                 "Shapes of the inputs in A; not if they change from step to step."}),
     [](const CompareTableRow& row) { return known_text(row.row.a.shapes); }},
    {on_request({"b_shapes", Unit::none, kDistinct, "not recorded, or of several functions",
                 "The same in B."}),
     [](const CompareTableRow& row) { return known_text(row.row.b.shapes); }},
    {on_request({"matched_by", Unit::none, kDistinct, "of a sum",
                 "stack: by the calls around it. kernel name: no launch was recorded."}),
     [](const CompareTableRow& row) -> std::optional<std::string_view> {
         if (row.row.kind != CompareKind::function) return std::nullopt;
         return row.row.by_kernel_name ? "kernel name" : "stack";
     }},
    {on_request({"a_samples", Unit::none, kNoAggregate, "", "Steady steps, or runs, of A."}),
     [](const CompareTableRow& row) { return samples_of_row(row).first; }},
    {on_request({"b_samples", Unit::none, kNoAggregate, "", "Steady steps, or runs, of B."}),
     [](const CompareTableRow& row) { return samples_of_row(row).second; }},
    {on_request({"kind", Unit::none, kDistinct, "",
                 "step: the sum of the others. phase: the steps of a server that compute prompts "
                 "(prefill), next tokens (decode) or both. function. others: functions that have "
                 "no row of their own. remainder: what medians, which do not add up exactly, "
                 "leave."}),
     [](const CompareTableRow& row) { return compare_kind_name(row.row.kind); }},
    {where_rows_differ({"trace", Unit::none, kDistinct, "", "The run that is compared with A."}),
     [](const CompareTableRow& row) { return std::string_view(row.comparison.name_b); }},
});

constexpr auto kCompareColumns = joined(kTimesOfFunctions, kDetailsOfFunctions);

}  // namespace

std::string names_inside(const CompareSide& side) {
    constexpr std::size_t kShownNames = 3;
    std::string names;
    for (std::size_t i = 0; i < std::min(side.inside.size(), kShownNames); ++i) {
        const std::string name = function_name(*side.inside[i].name);
        const bool python = name.starts_with('<') || name.find(".py") != std::string::npos;
        names += (i == 0 ? "" : ", ") +
                 (python ? name : std::string(short_name(name, EventClass::kernel)));
    }
    if (side.inside.size() > kShownNames)
        names += fmt::format(", {} more", side.inside.size() - kShownNames);
    return names;
}

const TableOf<CompareTableRow> kCompareTable = {
    {"compare", "What changed between two runs: the step, and the functions that it consists of."},
    kCompareColumns,
    [](const CompareTableRow& row) {
        return RowTarget{row.row.a.longest ? row.row.a.longest : row.row.b.longest, {}};
    }};

struct CompareFactTableRow {
    const CompareFact& fact;
};

namespace {

constexpr auto kCompareFactColumns = columns<CompareFactTableRow>({
    {{"fact", Unit::none, kDistinct, "", "Something that should be equal."},
     [](const CompareFactTableRow& row) { return row.fact.key; }},
    {{"a", Unit::none, kDistinct, "not recorded", "In A."},
     [](const CompareFactTableRow& row) { return known_text(row.fact.a); }},
    {{"b", Unit::none, kDistinct, "not recorded", "In B."},
     [](const CompareFactTableRow& row) { return known_text(row.fact.b); }},
    {{"differs", Unit::none, kMax, "", "1: A and B differ in it."},
     [](const CompareFactTableRow& row) { return static_cast<int64_t>(row.fact.differs); }},
});

}  // namespace

const TableOf<CompareFactTableRow> kCompareFactsTable = {
    {"compare", "Whether two runs are comparable: what should be equal.", "facts"},
    kCompareFactColumns};

Table compare_table(std::span<const Comparison> comparisons) {
    TableBuilder table(kCompareTable);
    for (const Comparison& comparison : comparisons) {
        if (!comparison.comparable) continue;
        table.add({comparison, comparison.step});
        for (const CompareRow& row : comparison.phases) table.add({comparison, row});
        for (const CompareRow& row : comparison.rows) table.add({comparison, row});
    }
    return table.take();
}

Table compare_facts_table(const Comparison& comparison) {
    TableBuilder table(kCompareFactsTable);
    for (const CompareFact& fact : comparison.facts) table.add({fact});
    return table.take();
}

}  // namespace lanescope
