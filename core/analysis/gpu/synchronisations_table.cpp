// The rows of synchronisations.
#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <tuple>

#include "core/analysis/gpu/synchronisations.h"
#include "core/analysis/structure/lane_view.h"
#include "core/analysis/structure/steps.h"

namespace lanescope {

namespace {

constexpr std::string_view kOutwards = " ← ";

constexpr ColumnSpec kCall = {
    "call", ValueType::text, Unit::none, "",
    "The runtime or driver call that waits; only copies that wait are included."};
constexpr ColumnSpec kCause = {
    "cause", ValueType::text, Unit::none, "",
    "Who asked for it: profiler (its own, as it stops), item (.item() and the like), copy (between "
    "host and device), operator (any other), or program (outside operators)."};

constexpr std::array kColumns = {
    kCall,
    kCause,
    ColumnSpec{"start_ns", ValueType::integer, Unit::nanoseconds, "",
               "Begin of the call, from the trace's origin."},
    ColumnSpec{"duration_ns", ValueType::integer, Unit::nanoseconds, "", "How long the call took."},
    ColumnSpec{"waited_ns", ValueType::integer, Unit::nanoseconds, "unknown what it waited for",
               "From its begin to the end of what it waited for; 0: that had already ended."},
    ColumnSpec{
        "waited_for", ValueType::text, Unit::none, "nothing ended before, or the device is unknown",
        "The GPU activity that ended last before the call's end, on the awaited stream or device."},
    ColumnSpec{"stream", ValueType::integer, Unit::none, "a whole device, or not known",
               "The awaited stream: as recorded, else that of the thread's last launch."},
    ColumnSpec{"operator", ValueType::text, Unit::none, "in no operator",
               "The innermost operator around the call."},
    ColumnSpec{"origin", ValueType::text, Unit::none, "outside all of them",
               "Operators, modules and annotations around the call, from the inside out."},
    ColumnSpec{"step", ValueType::integer, Unit::none, "in no step",
               "Index of the step in which it begins."},
    ColumnSpec{"thread", ValueType::text, Unit::none, "", "Name of the thread."},
};

constexpr ColumnSpec kCalls = {"calls", ValueType::integer, Unit::count, "", "How many."};
constexpr ColumnSpec kTotal = {"total_ns", ValueType::integer, Unit::nanoseconds, "",
                               "Time of the host in them."};
constexpr ColumnSpec kMax = {"max_ns", ValueType::integer, Unit::nanoseconds, "", "The longest."};
constexpr ColumnSpec kWaited = {"waited_ns", ValueType::integer, Unit::nanoseconds, "",
                                "The part of total_ns until what they waited for had ended."};

constexpr std::array kCallColumns = {
    kCall,
    ColumnSpec{"asked_by", ValueType::text, Unit::none, "", "program, or profiler: its own."},
    kCalls,
    kTotal,
    ColumnSpec{"mean_ns", ValueType::real, Unit::nanoseconds, "", "Mean."},
    kMax,
    kWaited,
};

constexpr std::array kCauseColumns = {
    kCause,
    ColumnSpec{"operator", ValueType::text, Unit::none, "in no operator",
               "The outermost operator in the unbroken chain of operators around the calls."},
    kCalls,
    kTotal,
    kMax,
    kWaited,
    ColumnSpec{
        "copies", ValueType::integer, Unit::count, "",
        "Of the causes item and copy: the copies between host and device that they waited for, of "
        "memory that is not pinned."},
    ColumnSpec{"copy_ns", ValueType::integer, Unit::nanoseconds, "",
               "Time of these copies on the GPU."},
};

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

Cell name_of(const Trace& trace, SliceRef slice) {
    return slice ? Cell(trace.name(slice)) : Cell();
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

const TableSpec kSynchronisationsTable = {
    "synchronisations",
    "Calls in which the host waits for the GPU, what they wait for, and who caused them.",
    kColumns};
const TableSpec kSynchronisationsByCallTable = {
    "synchronisations", "How often and how long each call waits for the GPU.", kCallColumns,
    "call"};
const TableSpec kSynchronisationsByCauseTable = {
    "synchronisations", "Why the host waits for the GPU: the causes, and their operators.",
    kCauseColumns, "cause"};

Table synchronisations_table(const TraceContext& context, const TableQuery& query) {
    const Trace& trace = context.trace();
    const Steps& steps = context.get<Steps>();
    Table table(kSynchronisationsTable);
    for (const Synchronisation& sync :
         query.range ? synchronisations(context, query) : context.get<AllSynchronisations>().rows) {
        const Lane& lane = trace.lanes[sync.call.lane];
        const Nanos start = trace.start(sync.call);
        const uint32_t step = steps.at(lane.process, start);
        const bool known = sync.waited_for != kNoRow;
        const std::string origin = origin_of(context, sync.call);
        table.add_row(
            {trace.name(sync.call), sync_cause_name(sync.cause), start - trace.origin,
             trace.duration(sync.call), known ? Cell(sync.waited) : Cell(),
             known ? Cell(trace.name(trace.gpu_activities.slice[sync.waited_for])) : Cell(),
             sync.stream < 0 ? Cell() : Cell(int64_t{sync.stream}), name_of(trace, sync.op),
             origin.empty() ? Cell() : Cell(std::string_view(origin)),
             step == kNoRow ? Cell() : Cell(steps.all[step].index), trace.strings[lane.name]},
            {sync.call, {}});
    }
    return table;
}

Table synchronisations_by_call_table(const TraceContext& context, const TableQuery& query) {
    const Trace& trace = context.trace();
    Table table(kSynchronisationsByCallTable);
    const auto key = [&](const Synchronisation& sync) {
        return std::pair(trace.name_id(sync.call), sync.cause == SyncCause::profiler);
    };
    for (const auto& [k, sum] : sums_by(context, query, key))
        table.add_row(
            {trace.strings[k.first], std::string_view(k.second ? "profiler" : "program"), sum.calls,
             sum.total, static_cast<double>(sum.total) / static_cast<double>(sum.calls),
             trace.duration(sum.longest), sum.waited},
            {sum.longest, {}});
    return table;
}

Table synchronisations_by_cause_table(const TraceContext& context, const TableQuery& query) {
    const Trace& trace = context.trace();
    Table table(kSynchronisationsByCauseTable);
    const auto key = [&](const Synchronisation& sync) {
        const StringId op = sync.outer_op ? trace.name_id(sync.outer_op) : StringPool::none;
        return std::pair(sync.cause, op);
    };
    for (const auto& [k, sum] : sums_by(context, query, key))
        table.add_row({sync_cause_name(k.first),
                       k.second == StringPool::none ? Cell() : Cell(trace.strings[k.second]),
                       sum.calls, sum.total, trace.duration(sum.longest), sum.waited,
                       static_cast<int64_t>(sum.copies.size()), sum.copy_time(trace)},
                      {sum.longest, {}});
    return table;
}

}  // namespace lanescope
