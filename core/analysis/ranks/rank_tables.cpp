#include "core/analysis/ranks/rank_tables.h"

#include <string>

#include "core/analysis/ranks/rank_rows.h"

namespace lanescope {

struct RankTableRow {
    const RankData& data;
    const RankComparison& result;
    uint32_t member = 0;
    std::string name = member_name(data.members[member]);
    const RankClock& clock = result.clocks.of(member);
    const RankTotals& totals = result.waits.totals[member];

    uint32_t member_row() const { return member; }
};

struct BlameTableRow {
    const RankData& data;
    const RankBlame& blame;

    const RankMember& late() const { return data.members[blame.late]; }
    const RankMember& waiting() const { return data.members[blame.waiting]; }
};

struct VerdictTableRow {
    const RankData& data;
    const RankVerdict& verdict;
    std::string text = verdict_text(data, verdict);
    std::string ranks = ranks_of(data, verdict);

    static std::string ranks_of(const RankData& data, const RankVerdict& verdict) {
        std::string text;
        for (const uint32_t member : verdict.members)
            text += (text.empty() ? "" : ", ") + std::to_string(data.members[member].rank);
        return text;
    }
    const RankMember* only() const {
        return verdict.members.size() == 1 ? &data.members[verdict.members.front()] : nullptr;
    }
    std::optional<int64_t> trace() const {
        return only() ? std::optional(only()->trace) : std::nullopt;
    }
    std::optional<int64_t> rank() const {
        return only() ? std::optional(only()->rank) : std::nullopt;
    }
    std::optional<double> factor() const {
        return verdict.factor > 0 ? std::optional(verdict.factor) : std::nullopt;
    }
};

struct RankProblemTableRow {
    const RankProblem& problem;
};

namespace {

constexpr auto kRankColumns = columns<RankTableRow>({
    {{"name", Unit::none, kDistinct, "", "Name of the rank: that of its file, or its number."},
     [](const RankTableRow& row) { return std::string_view(row.name); }},
    kTraceOfRankColumn,
    kNumberOfRankColumn,
    {{"calls", Unit::count, kSum, "", "Collective calls in the recording."},
     [](const RankTableRow& row) { return row.totals.calls; }},
    {{"matched", Unit::count, kSum, "", "Calls that were found on another rank too."},
     [](const RankTableRow& row) { return row.totals.matched; }},
    {{"clock", Unit::none, kDistinct, "",
      "reference: the clock that others are compared with; offset: a constant offset; line: offset "
      "and drift; none: no matched call connects it with another clock."},
     [](const RankTableRow& row) { return clock_basis_name(row.clock.basis); }},
    {{"offset_ns", Unit::nanoseconds, kNoAggregate, "",
      "What the clock shows more than the reference, at at_ns."},
     [](const RankTableRow& row) { return row.clock.offset; }},
    {{"offset_uncertainty_ns", Unit::nanoseconds, kNoAggregate, "",
      "Standard error of the offset."},
     [](const RankTableRow& row) { return whole_nanos(row.clock.offset_error); }},
    {{"drift_ppm", Unit::none, kNoAggregate, "",
      "By how many millionths the clock runs faster than the reference; 0: not significant."},
     [](const RankTableRow& row) { return row.clock.drift * 1e6; }},
    {{"drift_uncertainty_ppm", Unit::none, kNoAggregate, "", "Standard error of the drift."},
     [](const RankTableRow& row) { return row.clock.drift_error * 1e6; }},
    {on_request({"at_ns", Unit::nanoseconds, kNoAggregate, "",
                 "The time of this clock at which the offset holds. Corrected time: time - "
                 "offset_ns - drift_ppm / 1e6 * (time - at_ns)."}),
     [](const RankTableRow& row) { return row.clock.at; }},
    {{"residual_ns", Unit::nanoseconds, kNoAggregate, "",
      "Robust standard deviation of the end of one collective from the corrected ends of the "
      "others."},
     [](const RankTableRow& row) { return whole_nanos(row.clock.residual); }},
    {shown_first({"waited_ns", Unit::nanoseconds, kSum, "",
                  "Time in matched calls until the last rank began."}),
     [](const RankTableRow& row) { return row.totals.waited; }},
    {{"waited_uncertainty_ns", Unit::nanoseconds, kNoAggregate, "",
      "Standard error of waited_ns, by the clocks."},
     [](const RankTableRow& row) { return whole_nanos(row.totals.waited_error); }},
    {shown_first({"caused_ns", Unit::nanoseconds, kSum, "",
                  "Sum of what the other ranks waited for this one, when it came last."}),
     [](const RankTableRow& row) { return row.totals.caused; }},
    {shown_first({"last", Unit::count, kSum, "", "Calls in which it came last."}),
     [](const RankTableRow& row) { return row.totals.last; }},
});

constexpr auto kBlameColumns = columns<BlameTableRow>({
    {on_request({"late_trace", Unit::none, kDistinct, "", "File of the rank that came last."}),
     [](const BlameTableRow& row) { return row.late().trace; }},
    {{"late_rank", Unit::none, kDistinct, "", "The rank that came last."},
     [](const BlameTableRow& row) { return row.late().rank; }},
    {on_request({"waiting_trace", Unit::none, kDistinct, "", "File of the rank that waited."}),
     [](const BlameTableRow& row) { return row.waiting().trace; }},
    {{"waiting_rank", Unit::none, kDistinct, "", "The rank that waited."},
     [](const BlameTableRow& row) { return row.waiting().rank; }},
    {{"calls", Unit::count, kSum, "", "Calls in which it waited for that rank."},
     [](const BlameTableRow& row) { return row.blame.calls; }},
    {{"wait_ns", Unit::nanoseconds, kSum, "", "Sum of the waits."},
     [](const BlameTableRow& row) { return row.blame.wait; }},
    {{"uncertainty_ns", Unit::nanoseconds, kNoAggregate, "",
      "Standard error of wait_ns, by the clocks."},
     [](const BlameTableRow& row) { return whole_nanos(row.blame.error); }},
});

constexpr std::string_view kSeveralRanks = "several ranks may be concerned";
constexpr auto kVerdictColumns = columns<VerdictTableRow>({
    {{"verdict", Unit::none, kDistinct, "",
      "slow-gpu, data-loader, slow-host, slow-link, more-work, copies, held-up (no fault of its "
      "own), or unexplained."},
     [](const VerdictTableRow& row) { return rank_fault_name(row.verdict.fault); }},
    {on_request({"trace", Unit::none, kDistinct, kSeveralRanks, "Number of the file."}),
     [](const VerdictTableRow& row) { return row.trace(); }},
    {{"rank", Unit::none, kDistinct, kSeveralRanks, "The rank."},
     [](const VerdictTableRow& row) { return row.rank(); }},
    {on_request({"ranks", Unit::none, kDistinct, "", "All ranks that may be concerned."}),
     [](const VerdictTableRow& row) { return std::string_view(row.ranks); }},
    {{"first_step", Unit::none, kMin, "in no numbered step", "First step in which it was late."},
     [](const VerdictTableRow& row) { return known(row.verdict.first_step, kNoValue); }},
    {{"last_step", Unit::none, kMax, "in no numbered step", "Last step in which it was late."},
     [](const VerdictTableRow& row) { return known(row.verdict.last_step, kNoValue); }},
    {{"calls", Unit::count, kSum, "", "Calls to which it came late for this reason."},
     [](const VerdictTableRow& row) { return row.verdict.calls; }},
    {shown_first({"cost_ns", Unit::nanoseconds, kSum, "",
                  "What the rank did longer than the median rank before these calls; of a slow "
                  "link, by how much the transfers took longer."}),
     [](const VerdictTableRow& row) { return whole_nanos(row.verdict.cost); }},
    {{"uncertainty_ns", Unit::nanoseconds, kNoAggregate, "",
      "Standard error of cost_ns, by the usual noise of arrivals."},
     [](const VerdictTableRow& row) { return whole_nanos(row.verdict.error); }},
    {{"waited_ns", Unit::nanoseconds, kSum, "",
      "Sum of what other ranks waited in those calls to which it came last."},
     [](const VerdictTableRow& row) { return row.verdict.waited; }},
    {{"factor", Unit::none, kNoAggregate, "there is no single factor",
      "How many times as long the kernels, or the transfers, take."},
     [](const VerdictTableRow& row) { return row.factor(); }},
    {{"share", Unit::ratio, kNoAggregate, "",
      "Share of the cost in that of all reasons for which the rank came late."},
     [](const VerdictTableRow& row) { return row.verdict.share; }},
    {prose({"text", Unit::none, kDistinct, "", "The verdict as a sentence."}),
     [](const VerdictTableRow& row) { return std::string_view(row.text); }},
});

constexpr auto kProblemColumns = columns<RankProblemTableRow>({
    {{"problem", Unit::none, kDistinct, "",
      "rank-twice, rank-missing, rank-impossible, rank-by-order, other-job, other-run, "
      "clock-apart, no-collectives, not-connected, or nothing-compared."},
     [](const RankProblemTableRow& row) { return rank_problem_name(row.problem.kind); }},
    {{"trace", Unit::none, kDistinct, "of no single file", "Number of the file."},
     [](const RankProblemTableRow& row) { return known(row.problem.trace, kNoValue); }},
    {{"rank", Unit::none, kDistinct, "of no single rank", "The rank; of missing ones the first."},
     [](const RankProblemTableRow& row) { return known(row.problem.rank, kNoValue); }},
    {prose({"text", Unit::none, kDistinct, "", "The problem as a sentence."}),
     [](const RankProblemTableRow& row) { return std::string_view(row.problem.text); }},
});

}  // namespace

const TableOf<RankTableRow> kRanksTable = {
    {kRanksTableName,
     "Ranks: their clocks, and how long they waited for each other in collectives."},
    kRankColumns};
const TableOf<BlameTableRow> kRanksByBlameTable = {
    {kRanksTableName, "What each rank waited for each rank that came last.", "blame"},
    kBlameColumns};
const TableOf<VerdictTableRow> kRanksByVerdictTable = {
    {kRanksTableName, "Which ranks hold the others up, why, since when, and what it costs.",
     "verdict"},
    kVerdictColumns};
const TableOf<RankProblemTableRow> kRanksByProblemTable = {
    {kRanksTableName, "What is wrong with the set of ranks; the rest is compared.", "problem"},
    kProblemColumns};

namespace {

Table ranks_rows(const RankData& data, const RankComparison& result) {
    TableBuilder table(kRanksTable);
    for (uint32_t m = 0; m < data.members.size(); ++m)
        if (!result.left_out[m]) table.add({data, result, m});
    return table.take();
}

Table blame_rows(const RankData& data, const RankComparison& result) {
    TableBuilder table(kRanksByBlameTable);
    for (const RankBlame& blame : result.waits.blame) table.add({data, blame});
    return table.take();
}

Table verdict_rows(const RankData& data, const RankComparison& result) {
    TableBuilder table(kRanksByVerdictTable);
    for (const RankVerdict& verdict : result.verdicts) table.add({data, verdict});
    return table.take();
}

Table problem_rows(const RankData&, const RankComparison& result) {
    TableBuilder table(kRanksByProblemTable);
    for (const RankProblem& problem : result.problems) table.add({problem});
    return table.take();
}

}  // namespace

// Defined in rank_call_tables.cpp.
Table matched_call_rows(const RankData& data, const RankComparison& result);
Table arrival_rows(const RankData& data, const RankComparison& result);
Table late_rows(const RankData& data, const RankComparison& result);
Table unmatched_rows(const RankData& data, const RankComparison& result);

const std::array<RankTableMaker, 8>& rank_table_makers() {
    static const std::array<RankTableMaker, 8> makers = {{
        {&kRanksTable, ranks_rows},
        {&kRanksByCallTable, matched_call_rows},
        {&kRanksByArrivalTable, arrival_rows},
        {&kRanksByBlameTable, blame_rows},
        {&kRanksByLateTable, late_rows},
        {&kRanksByVerdictTable, verdict_rows},
        {&kRanksByUnmatchedTable, unmatched_rows},
        {&kRanksByProblemTable, problem_rows},
    }};
    return makers;
}

const RankTableMaker* find_rank_table(std::string_view by) {
    for (const RankTableMaker& maker : rank_table_makers())
        if (maker.spec->by == by) return &maker;
    return nullptr;
}

}  // namespace lanescope
