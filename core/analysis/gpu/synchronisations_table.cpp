// The rows of synchronisations.
#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <tuple>

#include "core/analysis/gpu/synchronisations.h"
#include "core/analysis/structure/lane_view.h"
#include "core/analysis/structure/process_cell.h"
#include "core/analysis/structure/step_cell.h"
#include "core/analysis/structure/steps.h"
#include "core/table/cells.h"

namespace lanescope {

namespace {

constexpr std::string_view kOutwards = " ← ";

std::string origin_of(const TraceContext& context, SliceRef call) {
    const Trace& trace = context.trace();
    std::string text;
    for (const SliceRef around : running_around(context, call)) {
        const LaneView view(trace.lanes[around.lane]);
        const EventClass c =
            trace.event_class(view.name(around.index), view.category(around.index));
        if (c == EventClass::python || c == EventClass::other) continue;
        if (!text.empty()) text += kOutwards;
        text += trace.name(around);
    }
    return text;
}

struct Sum {
    int64_t calls = 0;
    Nanos total = 0;
    Nanos waited = 0;
    SliceRef longest;
    std::vector<uint32_t> copies;  // rows of Trace::gpu_activities

    void add(const Trace& trace, const Synchronisation& sync) {
        if (calls++ == 0) longest = sync.call;  // they come in that order
        total += trace.duration(sync.call);
        waited += sync.waited;
        const bool of_copy = sync.cause == SyncCause::item || sync.cause == SyncCause::copy;
        if (!of_copy || sync.waited_for == kNoRow) return;
        const std::string_view name = trace.name(trace.gpu_activities.slice[sync.waited_for]);
        const auto has = [&](std::string_view part) {
            return name.find(part) != std::string_view::npos;
        };
        if ((has("HtoD") || has("DtoH")) && !has("Pinned")) copies.push_back(sync.waited_for);
    }

    Nanos copy_time(const Trace& trace) const {
        Nanos time = 0;
        for (const uint32_t row : copies) time += trace.duration(trace.gpu_activities.slice[row]);
        return time;
    }
};

// Grouped by key() of a synchronisation, largest sum first.
template <typename Key>
auto sums_by(const TraceContext& context, const TableQuery& query, Key key) {
    const Trace& trace = context.trace();
    using K = decltype(key(Synchronisation()));
    std::map<K, Sum> by_key;
    for (const Synchronisation& sync :
         query.range ? synchronisations(context, query) : context.get<AllSynchronisations>().rows)
        by_key[key(sync)].add(trace, sync);
    std::vector<std::pair<K, Sum>> sums(by_key.begin(), by_key.end());
    for (auto& [k, sum] : sums) {
        std::ranges::sort(sum.copies);
        sum.copies.erase(std::unique(sum.copies.begin(), sum.copies.end()), sum.copies.end());
    }
    std::ranges::stable_sort(
        sums, [](const auto& a, const auto& b) { return a.second.total > b.second.total; });
    return sums;
}

}  // namespace

struct SynchronisationTableRow {
    const TraceContext& context;
    const Steps& steps;
    const Synchronisation& sync;
    std::string origin = {};  // empty: none
    const Trace& trace = context.trace();
    const Lane& lane = trace.lanes[sync.call.lane];
    Nanos start = trace.start(sync.call);
    bool known_wait = sync.waited_for != kNoRow;

    uint32_t process_row() const { return lane.process; }
};

struct SynchronisationCallTableRow {
    const Trace& trace;
    StringId call;
    bool of_profiler;
    const Sum& sum;
};

struct SynchronisationCauseTableRow {
    const Trace& trace;
    SyncCause cause;
    StringId op;  // StringPool::none: no operator
    const Sum& sum;
};

namespace {

constexpr ColumnText kCall = {
    "call", Unit::none, kDistinct, "",
    "The runtime or driver call that waits; only copies that wait are included."};
constexpr ColumnText kCause = {
    "cause", Unit::none, kDistinct, "",
    "Who asked for it: profiler (its own, as it stops), item (.item() and the like), copy (between "
    "host and device), operator (any other), or program (outside operators)."};

constexpr auto kSynchronisationColumns = columns<SynchronisationTableRow>({
    {kCall, [](const SynchronisationTableRow& row) { return row.trace.name(row.sync.call); }},
    {kCause, [](const SynchronisationTableRow& row) { return sync_cause_name(row.sync.cause); }},
    {{"start_ns", Unit::nanoseconds, kMin, "", "Begin of the call, from the trace's origin."},
     [](const SynchronisationTableRow& row) { return row.start - row.trace.origin; }},
    {{"duration_ns", Unit::nanoseconds, kSum, "", "How long the call took."},
     [](const SynchronisationTableRow& row) { return row.trace.duration(row.sync.call); }},
    {{"waited_ns", Unit::nanoseconds, kSum, "unknown what it waited for",
      "From its begin to the end of what it waited for; 0: that had already ended."},
     [](const SynchronisationTableRow& row) {
         return row.known_wait ? std::optional(row.sync.waited) : std::nullopt;
     }},
    {{"waited_for", Unit::none, kDistinct, "nothing ended before, or the device is unknown",
      "The GPU activity that ended last before the call's end, on the awaited stream or device."},
     [](const SynchronisationTableRow& row) {
         return row.known_wait ? std::optional(row.trace.name(
                                     row.trace.gpu_activities.slice[row.sync.waited_for]))
                               : std::nullopt;
     }},
    {{"stream", Unit::none, kDistinct, "a whole device, or not known",
      "The awaited stream: as recorded, else the stream of the thread's last launch."},
     [](const SynchronisationTableRow& row) { return known(row.sync.stream, -1); }},
    {{"operator", Unit::none, kDistinct, "in no operator",
      "The innermost operator around the call."},
     [](const SynchronisationTableRow& row) { return known_name(row.trace, row.sync.op); }},
    {{"origin", Unit::none, kDistinct, "outside all of them",
      "Operators, modules and annotations around the call, from the inside out."},
     [](const SynchronisationTableRow& row) { return known_text(row.origin); }},
    {{"step", Unit::none, kDistinct, "in no step", "Index of the step in which it begins."},
     [](const SynchronisationTableRow& row) {
         return step_index(row.steps, row.lane.process, row.start);
     }},
    {{"thread", Unit::none, kDistinct, "", "Name of the thread."},
     [](const SynchronisationTableRow& row) { return row.trace.strings[row.lane.name]; }},
    kProcessColumn,
});

constexpr ColumnText kCalls = {"calls", Unit::count, kSum, "", "How many."};
constexpr ColumnText kTotal = {"total_ns", Unit::nanoseconds, kSum, "",
                               "Time of the host in them."};
constexpr ColumnText kLongest = {"max_ns", Unit::nanoseconds, kMax, "", "The longest."};
constexpr ColumnText kWaited = {"waited_ns", Unit::nanoseconds, kSum, "",
                                "The part of total_ns until what they waited for had ended."};

constexpr auto kCallColumns = columns<SynchronisationCallTableRow>({
    {kCall, [](const SynchronisationCallTableRow& row) { return row.trace.strings[row.call]; }},
    {{"asked_by", Unit::none, kDistinct, "", "program, or profiler: its own."},
     [](const SynchronisationCallTableRow& row) {
         return std::string_view(row.of_profiler ? "profiler" : "program");
     }},
    {kCalls, [](const SynchronisationCallTableRow& row) { return row.sum.calls; }},
    {kTotal, [](const SynchronisationCallTableRow& row) { return row.sum.total; }},
    {{"mean_ns", Unit::nanoseconds, mean_by("calls"), "", "Mean."},
     [](const SynchronisationCallTableRow& row) {
         return static_cast<double>(row.sum.total) / static_cast<double>(row.sum.calls);
     }},
    {kLongest,
     [](const SynchronisationCallTableRow& row) { return row.trace.duration(row.sum.longest); }},
    {kWaited, [](const SynchronisationCallTableRow& row) { return row.sum.waited; }},
});

constexpr auto kCauseColumns = columns<SynchronisationCauseTableRow>({
    {kCause, [](const SynchronisationCauseTableRow& row) { return sync_cause_name(row.cause); }},
    {{"operator", Unit::none, kDistinct, "in no operator",
      "The outermost operator in the unbroken chain of operators around the calls."},
     [](const SynchronisationCauseTableRow& row) {
         return row.op == StringPool::none ? std::nullopt
                                           : std::optional(row.trace.strings[row.op]);
     }},
    {kCalls, [](const SynchronisationCauseTableRow& row) { return row.sum.calls; }},
    {kTotal, [](const SynchronisationCauseTableRow& row) { return row.sum.total; }},
    {kLongest,
     [](const SynchronisationCauseTableRow& row) { return row.trace.duration(row.sum.longest); }},
    {kWaited, [](const SynchronisationCauseTableRow& row) { return row.sum.waited; }},
    {{"copies", Unit::count, kSum, "",
      "Of the causes item and copy: the copies between host and device that they waited for, of "
      "memory that is not pinned."},
     [](const SynchronisationCauseTableRow& row) { return row.sum.copies.size(); }},
    {{"copy_ns", Unit::nanoseconds, kSum, "", "Time of these copies on the GPU."},
     [](const SynchronisationCauseTableRow& row) { return row.sum.copy_time(row.trace); }},
});

}  // namespace

const TableOf<SynchronisationTableRow> kSynchronisationsTable = {
    {"synchronisations",
     "Calls in which the host waits for the GPU, what they wait for, and who caused them."},
    kSynchronisationColumns,
    [](const SynchronisationTableRow& row) {
        return RowTarget{row.sync.call, {}};
    }};
const TableOf<SynchronisationCallTableRow> kSynchronisationsByCallTable = {
    {"synchronisations", "How often and how long each call waits for the GPU.", "call"},
    kCallColumns,
    [](const SynchronisationCallTableRow& row) {
        return RowTarget{row.sum.longest, {}};
    }};
const TableOf<SynchronisationCauseTableRow> kSynchronisationsByCauseTable = {
    {"synchronisations", "Why the host waits for the GPU: the causes, and their operators.",
     "cause"},
    kCauseColumns,
    [](const SynchronisationCauseTableRow& row) {
        return RowTarget{row.sum.longest, {}};
    }};

Table synchronisations_table(const TraceContext& context, const TableQuery& query) {
    const Steps& steps = context.get<Steps>();
    TableBuilder table(kSynchronisationsTable);
    for (const Synchronisation& sync :
         query.range ? synchronisations(context, query) : context.get<AllSynchronisations>().rows)
        table.add({context, steps, sync, origin_of(context, sync.call)});
    return table.take();
}

Table synchronisations_by_call_table(const TraceContext& context, const TableQuery& query) {
    const Trace& trace = context.trace();
    TableBuilder table(kSynchronisationsByCallTable);
    const auto key = [&](const Synchronisation& sync) {
        return std::pair(trace.name_id(sync.call), sync.cause == SyncCause::profiler);
    };
    for (const auto& [k, sum] : sums_by(context, query, key))
        table.add({trace, k.first, k.second, sum});
    return table.take();
}

Table synchronisations_by_cause_table(const TraceContext& context, const TableQuery& query) {
    const Trace& trace = context.trace();
    TableBuilder table(kSynchronisationsByCauseTable);
    const auto key = [&](const Synchronisation& sync) {
        const StringId op = sync.outer_op ? trace.name_id(sync.outer_op) : StringPool::none;
        return std::pair(sync.cause, op);
    };
    for (const auto& [k, sum] : sums_by(context, query, key))
        table.add({trace, k.first, k.second, sum});
    return table.take();
}

}  // namespace lanescope
