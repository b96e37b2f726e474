#include "core/analysis/ranks/rank_data.h"

#include "core/analysis/ranks/rank_calls.h"
#include "core/analysis/structure/short_names.h"
#include "core/table/cells.h"

namespace lanescope {

struct RankCallTableRow {
    const OwnRanks& ranks;
    const RankCall& call;

    const RankMember& member() const { return ranks.data.members[call.member]; }
    std::string_view text(StringId id) const { return ranks.data.texts[id]; }
    // A file with one member that states no rank has no rank.
    std::optional<int64_t> rank() const {
        if (!member().is_rank_known() && ranks.data.members.size() == 1) return std::nullopt;
        return member().rank;
    }
};

struct RankWorkTableRow {
    const Trace& trace;
    const ShortNames& short_names;
    const OwnRanks& ranks;
    const RankWork& work;

    // Kinds of collectives and causes of gaps are not names in the trace, and are never shortened.
    std::string_view short_name() const {
        const StringId name = trace.strings.find(text(work.name));
        const bool is_kernel = work.what == RankWorkKind::kernel && name != StringPool::none;
        return is_kernel ? short_names.of(trace, name) : text(work.name);
    }

    std::string_view text(StringId id) const { return ranks.data.texts[id]; }
    std::optional<int64_t> rank() const {
        const RankMember& member = ranks.data.members[work.member];
        if (!member.is_rank_known() && ranks.data.members.size() == 1) return std::nullopt;
        return member.rank;
    }
};

namespace {

constexpr SharedColumn kRankColumn{
    ColumnText{"rank", Unit::none, kDistinct, "not recorded, and the file has no other rank",
               "Rank of the recording. Several ranks of one file are numbered from 0, in the order "
               "of their devices."},
    [](const auto& row) { return row.rank(); }};

constexpr auto kByCallColumns = columns<RankCallTableRow>({
    kRankColumn,
    {{"call", Unit::none, kDistinct, "", "Number of the call on its rank, by begin, from 0."},
     [](const RankCallTableRow& row) { return row.call.call; }},
    {{"kind", Unit::none, kDistinct, "not in any name",
      "all_reduce, all_gather, reduce_scatter, all_to_all, broadcast, reduce, gather, scatter, "
      "send_receive, or barrier."},
     [](const RankCallTableRow& row) { return known_text(collective_type_name(row.call.kind)); }},
    {{"group", Unit::none, kDistinct, "not recorded", "Name and ranks of the process group."},
     [](const RankCallTableRow& row) { return known_text(row.text(row.call.group)); }},
    {{"group_size", Unit::count, kDistinct, "not recorded", "Number of ranks in the group."},
     [](const RankCallTableRow& row) { return known(row.call.group_size, kNoValue); }},
    {{"sequence", Unit::none, kDistinct, "not recorded",
      "Number of the call in its group, as in the file: equal on all ranks."},
     [](const RankCallTableRow& row) { return known(row.call.sequence, kNoValue); }},
    {{"step", Unit::none, kDistinct, "no numbered step of the profiler launched it",
      "Index of the step that launched it."},
     [](const RankCallTableRow& row) { return known(row.call.step, kNoValue); }},
    {{"peer", Unit::none, kDistinct, "no send or receive, or not recorded",
      "Rank that a send goes to, or a receive comes from."},
     [](const RankCallTableRow& row) { return known(row.call.peer, kNoValue); }},
    {{"sends", Unit::none, kDistinct, "no send or receive, or not recorded",
      "1: it sends; 0: it receives."},
     [](const RankCallTableRow& row) { return known(row.call.sends, kNoValue); }},
    {{"bytes", Unit::bytes, kSum, "not recorded",
      "Size of the message: of the input, of an all-gather or gather the output."},
     [](const RankCallTableRow& row) { return known(row.call.bytes, kNoValue); }},
    {{"begin_ns", Unit::nanoseconds, kMin, "",
      "Begin of its first kernel on the recording's clock: since 1970 if the file states that."},
     [](const RankCallTableRow& row) { return row.call.time.begin; }},
    {{"end_ns", Unit::nanoseconds, kMax, "", "End of its last kernel on that clock."},
     [](const RankCallTableRow& row) { return row.call.time.end; }},
    {{"host", Unit::none, kMax, "", "1: a call on the CPU."},
     [](const RankCallTableRow& row) { return row.call.on_host; }},
});

constexpr auto kByWorkColumns = columns<RankWorkTableRow>({
    kRankColumn,
    {{"call", Unit::none, kDistinct, "",
      "Number of the call on its rank before whose begin, and after the begin of the previous "
      "one, the work ran."},
     [](const RankWorkTableRow& row) { return row.work.call; }},
    {{"what", Unit::none, kDistinct, "", "kernel, copy, set, collective, or gap."},
     [](const RankWorkTableRow& row) { return rank_work_name(row.work.what); }},
    {{"name", Unit::none, kDistinct, "a collective of no known kind",
      "Name of the kernel, copy or set; kind of a collective; cause of a gap, or \"data loader\" "
      "if the host is in its data loader."},
     [](const RankWorkTableRow& row) { return known_text(row.text(row.work.name)); }},
    kShortNameColumn,
    {{"grid", Unit::none, kDistinct, "no kernel, or not recorded",
      "Blocks and threads of the kernel's launch, \"x,y,z/x,y,z\"."},
     [](const RankWorkTableRow& row) { return known_text(row.text(row.work.grid)); }},
    {{"count", Unit::count, kSum, "", "Number of those that begin in the interval."},
     [](const RankWorkTableRow& row) { return row.work.count; }},
    {{"time_ns", Unit::nanoseconds, kSum, "",
      "Sum of their durations inside the interval; of gaps, idle time of the whole GPU."},
     [](const RankWorkTableRow& row) { return row.work.time; }},
});

}  // namespace

const TableOf<RankCallTableRow> kCollectivesByCallTable = {
    {"collectives", "Collective calls as ranks compare them: one row for each call.", "call"},
    kByCallColumns,
    [](const RankCallTableRow& row) {
        return RowTarget{row.call.slice, {}};
    }};

const TableOf<RankWorkTableRow> kCollectivesByWorkTable = {
    {"collectives", "What each GPU did between the begins of its collective calls.", "work"},
    kByWorkColumns};

OwnRanks OwnRanks::compute(const TraceContext& context) {
    OwnRanks ranks;
    add_rank_calls(context, ranks.data);
    add_rank_work(context, ranks.data);
    return ranks;
}

Table collectives_by_call_table(const TraceContext& context, const TableQuery& query) {
    const OwnRanks& ranks = context.get<OwnRanks>();
    TableBuilder table(kCollectivesByCallTable);
    for (const RankCall& call : ranks.data.calls)
        if (query.has(context.trace().start(call.slice))) table.add({ranks, call});
    return table.take();
}

Table collectives_by_work_table(const TraceContext& context, const TableQuery& query) {
    const OwnRanks& ranks = context.get<OwnRanks>();
    const std::vector<RankCall>& calls = ranks.data.calls;
    const ShortNames& names = context.get<ShortNames>();
    TableBuilder table(kCollectivesByWorkTable);
    auto call = calls.begin();
    for (const RankWork& work : ranks.data.work) {
        while (call->member != work.member || call->call != work.call) ++call;
        if (query.has(context.trace().start(call->slice)))
            table.add({context.trace(), names, ranks, work});
    }
    return table.take();
}

}  // namespace lanescope
