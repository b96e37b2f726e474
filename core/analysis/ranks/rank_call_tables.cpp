// Forms of the table "ranks" about single calls.
#include "core/analysis/ranks/rank_rows.h"

namespace lanescope {

struct MatchedCallTableRow {
    const RankData& data;
    const RankComparison& result;
    uint32_t id = 0;
    const MatchedCall& call = result.matched.calls[id];
    const CallWait& wait = result.waits.calls[id];
    const RankArrival& last = result.waits.arrivals[wait.last];

    const RankCall& call_row() const { return data.calls[call.row]; }
};

struct ArrivalTableRow {
    const RankData& data;
    const RankComparison& result;
    uint32_t id = 0;
    const RankArrival& arrival;

    uint32_t member_row() const { return arrival.member; }
};

struct LateTableRow {
    const RankData& data;
    const RankComparison& result;
    const CausePart& part;
    const RankArrival& arrival = result.waits.arrivals[part.arrival];

    uint32_t member_row() const { return arrival.member; }
    const RankCall& call_row() const { return data.calls[arrival.call]; }
    static std::optional<double> nonzero(double value) {
        return value != 0 ? std::optional(value) : std::nullopt;
    }
};

struct UnmatchedTableRow {
    const RankData& data;
    const UnmatchedCall& unmatched;

    const RankCall& call_row() const { return data.calls[unmatched.call]; }
    uint32_t member_row() const { return call_row().member; }
};

namespace {

constexpr SharedColumn kIdOfCallColumn{
    ColumnText{"id", Unit::none, kDistinct, "", "Number of the matched call, from 0."},
    [](const auto& row) { return row.id; }};

constexpr auto kMatchedColumns = columns<MatchedCallTableRow>({
    kKindOfCallColumn,
    kIdOfCallColumn,
    kGroupOfCallColumn,
    kSequenceOfCallColumn,
    kStepOfCallColumn,
    {on_request({"number", Unit::none, kDistinct, "",
                 "The sequence or, if it is not recorded on all ranks, the number among the calls "
                 "of its step and group, from 0."}),
     [](const MatchedCallTableRow& row) { return row.call.number; }},
    {{"bytes", Unit::bytes, kSum, "not recorded", "Size of the message."},
     [](const MatchedCallTableRow& row) { return known(row.call_row().bytes, kNoValue); }},
    {{"ranks", Unit::count, kDistinct, "", "Ranks on which the call was found."},
     [](const MatchedCallTableRow& row) { return row.call.count; }},
    {{"group_size", Unit::count, kDistinct, "not recorded", "Ranks in the group."},
     [](const MatchedCallTableRow& row) { return known(row.call_row().group_size, kNoValue); }},
    {{"first_begin_ns", Unit::nanoseconds, kMin, "",
      "Begin on the first rank, on the clock of the reference."},
     [](const MatchedCallTableRow& row) { return row.wait.first_begin; }},
    {{"last_begin_ns", Unit::nanoseconds, kMax, "", "Begin on the last rank."},
     [](const MatchedCallTableRow& row) { return row.wait.last_begin; }},
    {{"end_ns", Unit::nanoseconds, kMax, "", "Median of the ends on all ranks."},
     [](const MatchedCallTableRow& row) { return row.wait.end; }},
    {shown_first({"spread_ns", Unit::nanoseconds, kSum, "",
                  "Arrival spread: from the first begin to the last."}),
     [](const MatchedCallTableRow& row) { return row.wait.spread(); }},
    {{"uncertainty_ns", Unit::nanoseconds, kNoAggregate, "",
      "Standard error of the spread, by both clocks; 0 on one clock."},
     [](const MatchedCallTableRow& row) { return whole_nanos(row.wait.error); }},
    {on_request({"last_trace", Unit::none, kDistinct, "", "File of the rank that came last."}),
     [](const MatchedCallTableRow& row) { return row.data.members[row.last.member].trace; }},
    {shown_first({"last_rank", Unit::none, kDistinct, "", "The rank that came last."}),
     [](const MatchedCallTableRow& row) { return row.data.members[row.last.member].rank; }},
    {{"lateness_ns", Unit::nanoseconds, kSum, "",
      "Begin on the last rank, minus the median begin of the others."},
     [](const MatchedCallTableRow& row) { return row.last.lateness; }},
    {shown_first({"wait_ns", Unit::nanoseconds, kSum, "",
                  "Sum over the ranks of the time until the last one began."}),
     [](const MatchedCallTableRow& row) { return row.wait.wait; }},
    {{"transfer_ns", Unit::nanoseconds, kSum, "",
      "From the last begin to the end: all ranks were there."},
     [](const MatchedCallTableRow& row) { return row.wait.transfer(); }},
    {on_request({"host", Unit::none, kMax, "", "1: a call on the CPU."}),
     [](const MatchedCallTableRow& row) { return row.call_row().on_host; }},
});

constexpr auto kArrivalColumns = columns<ArrivalTableRow>({
    kIdOfCallColumn,
    kTraceOfRankColumn,
    kNumberOfRankColumn,
    {{"call", Unit::none, kDistinct, "", "Number of the call on its rank."},
     [](const ArrivalTableRow& row) { return row.data.calls[row.arrival.call].call; }},
    {{"begin_ns", Unit::nanoseconds, kMin, "", "Begin, on the clock of the reference."},
     [](const ArrivalTableRow& row) { return row.arrival.time.begin; }},
    {{"end_ns", Unit::nanoseconds, kMax, "", "End, on the clock of the reference."},
     [](const ArrivalTableRow& row) { return row.arrival.time.end; }},
    {{"lateness_ns", Unit::nanoseconds, kNoAggregate, "",
      "Begin, minus the median begin of the other ranks."},
     [](const ArrivalTableRow& row) { return row.arrival.lateness; }},
    {{"wait_ns", Unit::nanoseconds, kSum, "",
      "From the begin until the last rank began, or to the own end."},
     [](const ArrivalTableRow& row) { return row.arrival.wait; }},
});

constexpr auto kLateColumns = columns<LateTableRow>({
    {{"id", Unit::none, kDistinct, "", "Number of the matched call."},
     [](const LateTableRow& row) { return row.part.matched; }},
    kTraceOfRankColumn,
    kNumberOfRankColumn,
    kStepOfCallColumn,
    {{"lateness_ns", Unit::nanoseconds, kNoAggregate, "",
      "Begin, minus the median begin of the other ranks."},
     [](const LateTableRow& row) { return row.arrival.lateness; }},
    {{"cause", Unit::none, kDistinct, "",
      "slow kernels, more kernels, copies, data loader, host, held up, or unexplained."},
     [](const LateTableRow& row) { return late_cause_name(row.part.cause); }},
    {{"excess_ns", Unit::nanoseconds, kSum, "",
      "Time above that of the median rank since the previous call of the group."},
     [](const LateTableRow& row) { return whole_nanos(row.part.excess); }},
    {{"cost_ns", Unit::nanoseconds, kSum, "",
      "The excess, less its share in what the rank did less than the median rank."},
     [](const LateTableRow& row) { return whole_nanos(row.part.cost); }},
    {{"share", Unit::ratio, kNoAggregate, "", "cost_ns as a fraction of lateness_ns."},
     [](const LateTableRow& row) {
         return row.part.cost / static_cast<double>(row.arrival.lateness);
     }},
    {{"largest", Unit::none, kDistinct, "of no name",
      "The largest part of the excess: a kernel, or the cause of idle time."},
     [](const LateTableRow& row) { return known_text(row.data.texts[row.part.name]); }},
    {{"count", Unit::none, kNoAggregate, "", "How many of the largest part."},
     [](const LateTableRow& row) { return row.part.count; }},
    {{"median_count", Unit::none, kNoAggregate, "", "How many of it on the median rank."},
     [](const LateTableRow& row) { return row.part.median_count; }},
    {{"ratio", Unit::none, kNoAggregate, "the other ranks have none of it",
      "Its mean duration, to that on the median rank."},
     [](const LateTableRow& row) { return LateTableRow::nonzero(row.part.ratio); }},
    {{"z", Unit::none, kNoAggregate, "fewer than three other ranks, or they do not differ",
      "Distance of the mean duration from the median, in robust standard deviations of the other "
      "ranks."},
     [](const LateTableRow& row) { return LateTableRow::nonzero(row.part.z); }},
});

constexpr auto kUnmatchedColumns = columns<UnmatchedTableRow>({
    kKindOfCallColumn,
    kTraceOfRankColumn,
    kNumberOfRankColumn,
    {{"call", Unit::none, kDistinct, "", "Number of the call on its rank."},
     [](const UnmatchedTableRow& row) { return row.call_row().call; }},
    kGroupOfCallColumn,
    kSequenceOfCallColumn,
    kStepOfCallColumn,
    {{"reason", Unit::none, kDistinct, "", "Why no call of another rank belongs to it."},
     [](const UnmatchedTableRow& row) { return unmatched_reason_name(row.unmatched.reason); }},
});

}  // namespace

const TableOf<MatchedCallTableRow> kRanksByCallTable = {
    {kRanksTableName, "Collective calls of several ranks: arrival spread, and who came last.",
     "call"},
    kMatchedColumns,
    [](const MatchedCallTableRow& row) {
        return RowTarget{row.data.calls[row.last.call].slice, {}};
    }};
const TableOf<ArrivalTableRow> kRanksByArrivalTable = {
    {kRanksTableName, "The arrival of each rank at each collective call.", "arrival"},
    kArrivalColumns,
    [](const ArrivalTableRow& row) {
        return RowTarget{row.data.calls[row.arrival.call].slice, {}};
    }};
const TableOf<LateTableRow> kRanksByLateTable = {
    {kRanksTableName, "Why ranks came late: what they did more than the median rank.", "late"},
    kLateColumns,
    [](const LateTableRow& row) {
        return RowTarget{row.call_row().slice, {}};
    }};
const TableOf<UnmatchedTableRow> kRanksByUnmatchedTable = {
    {kRanksTableName, "Collective calls without a call of another rank.", "unmatched"},
    kUnmatchedColumns,
    [](const UnmatchedTableRow& row) {
        return RowTarget{row.call_row().slice, {}};
    }};

Table matched_call_rows(const RankData& data, const RankComparison& result) {
    TableBuilder table(kRanksByCallTable);
    for (uint32_t i = 0; i < result.matched.calls.size(); ++i) table.add({data, result, i});
    return table.take();
}

Table arrival_rows(const RankData& data, const RankComparison& result) {
    TableBuilder table(kRanksByArrivalTable);
    for (uint32_t i = 0; i < result.matched.calls.size(); ++i)
        for (const RankArrival& one : result.waits.members_of(result.matched.calls[i]))
            table.add({data, result, i, one});
    return table.take();
}

Table late_rows(const RankData& data, const RankComparison& result) {
    TableBuilder table(kRanksByLateTable);
    for (const CausePart& part : result.causes.parts)
        if (part.excess > 0) table.add({data, result, part});
    return table.take();
}

Table unmatched_rows(const RankData& data, const RankComparison& result) {
    TableBuilder table(kRanksByUnmatchedTable);
    for (const UnmatchedCall& unmatched : result.matched.unmatched) table.add({data, unmatched});
    return table.take();
}

}  // namespace lanescope
