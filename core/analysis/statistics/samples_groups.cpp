// Samples by thread, by process, and by the range that was open: see samples.h.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/analysis/statistics/open_ranges.h"
#include "core/analysis/statistics/samples.h"
#include "core/analysis/structure/lane_view.h"
#include "core/table/cells.h"
#include "core/trace/category.h"

namespace lanescope {

// Samples of one kind in one thread, process or range.
struct SampleGroupTableRow {
    struct Group {
        SampleWeight weight;
        std::map<SampledFunction, double> self;  // ns
        uint32_t threads = 0;
        SliceRef longest;  // of the samples, or of the ranges
    };
    const Trace& trace;
    SampleKind kind;
    const Group& group;
    double all;           // ns, of the kind
    LaneId lane = 0;      // by thread: the lane of samples; by process: one of them
    StringId range = {};  // by range: its name; StringPool::none: outside of ranges

    std::optional<std::pair<SampledFunction, double>> busiest() const {
        std::optional<std::pair<SampledFunction, double>> most;
        for (const auto& entry : group.self)
            if (!most || entry.second > most->second ||
                (entry.second == most->second &&
                 text_order(trace, entry.first) < text_order(trace, most->first)))
                most = entry;
        return most;
    }
    std::string_view process_name() const {
        return trace.strings[trace.processes[trace.lanes[lane].process].name];
    }
    std::string_view pid() const {
        return trace.strings[trace.processes[trace.lanes[lane].process].pid];
    }
};

namespace {

using Group = SampleGroupTableRow::Group;
using Row = SampleGroupTableRow;

// Lanes of samples are named "worker · samples" or "worker · Python"; "thread 11 · samples" if the
// thread has no name.
std::string_view thread_name(const Trace& trace, const Lane& lane) {
    const std::string_view name = trace.strings[lane.name];
    return name.substr(0, name.rfind(" · "));
}

// Known only of Python samples.
std::optional<int64_t> python_count(const Row& row, double count) {
    if (row.kind != SampleKind::python) return std::nullopt;
    return std::llround(count);
}

constexpr auto kThreadColumns = columns<Row>({
    {{"thread", Unit::none, kDistinct, "", "The name of the thread."},
     [](const Row& row) { return thread_name(row.trace, row.trace.lanes[row.lane]); }},
    {where_rows_differ({"process", Unit::none, kDistinct, "not recorded", "Its process."}),
     [](const Row& row) { return known_text(row.process_name()); }},
    {where_rows_differ({"pid", Unit::none, kDistinct, "", "The id of the process."}),
     [](const Row& row) { return row.pid(); }},
    {{"tid", Unit::none, kDistinct, "", "The id of the thread."},
     [](const Row& row) { return row.trace.strings[row.trace.lanes[row.lane].tid]; }},
});

constexpr auto kProcessColumns = columns<Row>({
    {{"process", Unit::none, kDistinct, "not recorded", "The name of the process."},
     [](const Row& row) { return known_text(row.process_name()); }},
    {{"pid", Unit::none, kDistinct, "", "The id of the process."},
     [](const Row& row) { return row.pid(); }},
    {{"threads", Unit::count, kSum, "", "Its threads that have samples of this kind."},
     [](const Row& row) { return int64_t{row.group.threads}; }},
});

constexpr auto kRangeColumns = columns<Row>({
    {{"range", Unit::none, kDistinct, "no range was open",
      "The innermost annotation (NVTX range, record_function) that was open on the thread."},
     [](const Row& row) -> std::optional<std::string_view> {
         if (row.range == StringPool::none) return std::nullopt;
         return row.trace.strings[row.range];
     }},
});

constexpr auto kGroupColumns = columns<Row>({
    {where_rows_differ({"kind", Unit::none, kDistinct, "",
                        "CPU: samples of CPU time. Python: samples of wall-clock time. waiting: "
                        "times in which the thread did not run."}),
     [](const Row& row) { return sample_kind_name(row.kind); }},
    {{"samples", Unit::count, kSum, "", "The number of samples."},
     [](const Row& row) { return std::llround(row.group.weight.samples); }},
    {{"time_ns", Unit::nanoseconds, kSum, "", "The time that these samples represent."},
     [](const Row& row) { return std::llround(row.group.weight.time); }},
    {{"share", Unit::ratio, kSum, "",
      "time_ns as a fraction of the time of all samples of the kind."},
     [](const Row& row) { return row.group.weight.time / std::max(row.all, 1e-9); }},
    {{"gil_samples", Unit::count, kSum, "no Python samples",
      "Of these: those in which the thread held the interpreter's lock (GIL).", Priority::normal,
      Doubts(), "With GIL"},
     [](const Row& row) { return python_count(row, row.group.weight.gil); }},
    {{"running_samples", Unit::count, kSum, "no Python samples",
      "Of these: those in which the thread was running or ready to run.", Priority::normal,
      Doubts(), "Running"},
     [](const Row& row) { return python_count(row, row.group.weight.running); }},
    {{"busiest_function", Unit::none, kDistinct, "no samples",
      "The function that takes most of this time itself."},
     [](const Row& row) -> std::optional<std::string_view> {
         const auto most = row.busiest();
         return most ? std::optional(row.trace.strings[most->first.name]) : std::nullopt;
     }},
    {{"busiest_module", Unit::none, kDistinct, "not known",
      "The library, program or source file that contains that function."},
     [](const Row& row) -> std::optional<std::string_view> {
         const auto most = row.busiest();
         return most ? known_text(row.trace.strings[most->first.module]) : std::nullopt;
     }},
    {{"busiest_share", Unit::ratio, kNoAggregate, "",
      "The time in which that function itself ran, as a fraction of time_ns."},
     [](const Row& row) {
         const auto most = row.busiest();
         return most ? most->second / std::max(row.group.weight.time, 1e-9)
                     : std::numeric_limits<double>::quiet_NaN();
     }},
});

constexpr auto kByThreadColumns = joined(kThreadColumns, kGroupColumns);
constexpr auto kByProcessColumns = joined(kProcessColumns, kGroupColumns);
constexpr auto kByRangeColumns = joined(kRangeColumns, kGroupColumns);

RowTarget group_place(const Row& row) {
    return {row.group.longest, {}};
}

void keep_longest(const Trace& trace, SliceRef slice, SliceRef& longest) {
    if (!longest || trace.duration(slice) > trace.duration(longest)) longest = slice;
}

void add_call(const Trace& trace, const SampledSlice& call, bool outermost, Group& group) {
    group.self[call.function] += std::max(call.self.time, 0.0);
    if (!outermost) return;
    group.weight += call.total;
    keep_longest(trace, call.slice, group.longest);
}

// Most time first; equal ones in the order of their keys.
template <typename Key>
void add_groups(TableBuilder<Row>& table, const Trace& trace,
                const std::map<std::pair<Key, SampleKind>, Group>& groups,
                void (*identify)(Key key, Row& row)) {
    std::array<double, 3> all = {};
    for (const auto& [key, group] : groups)
        all[static_cast<std::size_t>(key.second)] += group.weight.time;
    std::vector<const std::pair<const std::pair<Key, SampleKind>, Group>*> rows;
    rows.reserve(groups.size());
    for (const auto& entry : groups) rows.push_back(&entry);
    std::ranges::stable_sort(rows, [](const auto* a, const auto* b) {
        return a->second.weight.time > b->second.weight.time;
    });
    for (const auto* entry : rows) {
        const SampleKind kind = entry->first.second;
        Row row{trace, kind, entry->second, all[static_cast<std::size_t>(kind)]};
        identify(entry->first.first, row);
        table.add(row);
    }
}

using RangeKey = std::pair<std::string_view, StringId>;  // the text orders rows in every file alike
using RangeGroups = std::map<std::pair<RangeKey, SampleKind>, Group>;

class SamplesInRanges {
  public:
    SamplesInRanges(const Trace& trace, const TableQuery& query) : trace_(trace), query_(query) {
        for (LaneId lane = 0; lane < trace.lanes.size(); ++lane)
            if (trace.lanes[lane].kind == LaneKind::thread && !trace.lanes[lane].derived)
                threads_[{trace.lanes[lane].process, trace.strings[trace.lanes[lane].tid]}] = lane;
    }

    RangeGroups take() {
        for_each_sampled_lane(trace_, query_, [&](const SampledLane& lane) { add_lane(lane); });
        return std::move(groups_);
    }

  private:
    struct OpenCall {
        uint32_t index;
        Nanos at;  // up to here its own time and that of its callees has been visited
    };

    void add_lane(const SampledLane& lane) {
        const Lane& samples = trace_.lanes[lane.lane];
        const auto thread = threads_.find({samples.process, trace_.strings[samples.tid]});
        std::optional<OpenRanges> ranges;
        if (thread != threads_.end()) ranges.emplace(trace_, thread->second);
        const LaneView view(samples);
        std::vector<Nanos> own(view.size());  // the time outside of callees
        for (uint32_t i = 0; i < view.size(); ++i) {
            own[i] += length_in_query(view.start(i), view.end(i));
            if (const uint32_t caller = lane.tree.parent[i]; caller != CallTree::none)
                own[caller] -= length_in_query(view.start(i), view.end(i));
        }
        std::vector<OpenCall> open;
        const auto visit_to = [&](Nanos end) {
            OpenCall& call = open.back();
            add_own_time(lane.calls[call.index], own[call.index], call.at, end, ranges);
            call.at = std::max(call.at, end);
        };
        const auto leave = [&] {
            visit_to(view.end(open.back().index));
            open.pop_back();
        };
        for (const uint32_t i : lane.tree.order) {
            while (!open.empty() && open.back().index != lane.tree.parent[i]) leave();
            if (!open.empty()) {
                visit_to(view.start(i));
                open.back().at = view.end(i);
            }
            open.push_back({i, view.start(i)});
        }
        while (!open.empty()) leave();
    }

    Nanos length_in_query(Nanos begin, Nanos end) const {
        if (!query_.range) return end - begin;
        return std::max<Nanos>(
            std::min(end, query_.range->end) - std::max(begin, query_.range->begin), 0);
    }

    // Divides the samples of `call` itself among ranges, in proportion to its own time in them.
    void add_own_time(const SampledSlice& call, Nanos own, Nanos begin, Nanos end,
                      std::optional<OpenRanges>& ranges) {
        if (query_.range) {
            begin = std::max(begin, query_.range->begin);
            end = std::min(end, query_.range->end);
        }
        if (!call.slice || begin >= end || own <= 0 || call.self.samples <= 0) return;
        const auto add = [&](Nanos part, SliceRef range) {
            if (part <= 0) return;
            const SampleWeight weight =
                call.self * (static_cast<double>(part) / static_cast<double>(own));
            const StringId name = range ? trace_.name_id(range) : StringPool::none;
            const std::string_view text = range ? trace_.strings[name] : std::string_view();
            Group& group = groups_[{{text, name}, call.function.kind}];
            group.weight += weight;
            group.self[call.function] += weight.time;
            if (range) keep_longest(trace_, range, group.longest);
        };
        if (ranges)
            ranges->visit(begin, end, add);
        else
            add(end - begin, {});
    }

    const Trace& trace_;
    const TableQuery& query_;
    std::map<std::pair<uint32_t, std::string_view>, LaneId> threads_;  // by process and tid
    RangeGroups groups_;
};

}  // namespace

const TableOf<SampleGroupTableRow> kSamplesByThreadTable = {
    {"samples", "Samples by thread, and the function that takes most of their time.", "thread"},
    kByThreadColumns,
    group_place};
const TableOf<SampleGroupTableRow> kSamplesByProcessTable = {
    {"samples", "Samples by process, and the function that takes most of their time.", "process"},
    kByProcessColumns,
    group_place};
const TableOf<SampleGroupTableRow> kSamplesByRangeTable = {
    {"samples",
     "Samples by the annotation that was open, and the function that takes most of their time.",
     "range"},
    kByRangeColumns,
    group_place};

Table samples_by_thread_table(const TraceContext& context, const TableQuery& query) {
    const Trace& trace = context.trace();
    std::map<std::pair<LaneId, SampleKind>, Group> groups;
    for_each_sampled_lane(trace, query, [&](const SampledLane& lane) {
        for_each_sampled_slice(lane, [&](const SampledSlice& call, const auto& stack) {
            add_call(trace, call, stack.empty(), groups[{lane.lane, call.function.kind}]);
        });
    });
    TableBuilder table(kSamplesByThreadTable);
    add_groups<LaneId>(table, trace, groups, [](LaneId lane, Row& row) { row.lane = lane; });
    return table.take();
}

Table samples_by_process_table(const TraceContext& context, const TableQuery& query) {
    const Trace& trace = context.trace();
    using Key = std::pair<uint32_t, SampleKind>;
    std::map<Key, Group> groups;
    std::map<Key, LaneId> last;
    std::map<uint32_t, LaneId> lane_of;
    for_each_sampled_lane(trace, query, [&](const SampledLane& lane) {
        const uint32_t process = trace.lanes[lane.lane].process;
        lane_of.emplace(process, lane.lane);
        for_each_sampled_slice(lane, [&](const SampledSlice& call, const auto& stack) {
            const Key key(process, call.function.kind);
            Group& group = groups[key];
            add_call(trace, call, stack.empty(), group);
            const auto [known, is_first] = last.emplace(key, lane.lane);
            if (is_first || known->second != lane.lane) ++group.threads;
            known->second = lane.lane;
        });
    });
    std::map<std::pair<LaneId, SampleKind>, Group> by_lane;
    for (auto& [key, group] : groups) by_lane[{lane_of[key.first], key.second}] = std::move(group);
    TableBuilder table(kSamplesByProcessTable);
    add_groups<LaneId>(table, trace, by_lane, [](LaneId lane, Row& row) { row.lane = lane; });
    return table.take();
}

Table samples_by_range_table(const TraceContext& context, const TableQuery& query) {
    const Trace& trace = context.trace();
    const RangeGroups groups = SamplesInRanges(trace, query).take();
    TableBuilder table(kSamplesByRangeTable);
    add_groups<RangeKey>(table, trace, groups,
                         [](RangeKey key, Row& row) { row.range = key.second; });
    return table.take();
}

}  // namespace lanescope
