// Perfetto's tables of threads, processes, tracks, counters and flows.
#include <algorithm>
#include <charconv>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/sql/source.h"
#include "core/sql/tables.h"
#include "core/table/cells.h"

namespace lanescope {

namespace {

constexpr std::string_view kNotKept = "the trace does not keep it";
constexpr std::string_view kNotNumber = "the id in the file is no whole number";
constexpr std::string_view kNoName = "it has no name";

std::optional<int64_t> number_in(std::string_view text) {
    int64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    return error == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

bool is_thread(const Lane& lane) {
    return lane.kind == LaneKind::thread || lane.kind == LaneKind::stream ||
           lane.kind == LaneKind::samples;
}

// Returns for each lane the first lane of its thread. The number of this first lane is the utid.
std::vector<LaneId> threads_of_lanes(const Trace& trace) {
    std::vector<LaneId> threads(trace.lanes.size(), SliceRef::no_index);
    // Lanes of samples are threads of their own.
    std::map<std::tuple<uint32_t, StringId, bool, bool>, LaneId> known;
    for (const bool derived : {false, true})
        for (LaneId id = 0; id < trace.lanes.size(); ++id) {
            const Lane& lane = trace.lanes[id];
            if (is_thread(lane) && lane.derived == derived)
                threads[id] =
                    known
                        .try_emplace({lane.process, lane.tid, lane.kind == LaneKind::samples,
                                      lane.samples_python},
                                     id)
                        .first->second;
        }
    return threads;
}

}  // namespace

struct SqlThreadRow {
    const Trace& trace;
    LaneId id = 0;
    const Lane& lane = trace.lanes[id];

    // Lanes of samples are threads of their own, without a tid.
    std::optional<int64_t> tid() const {
        if (lane.kind == LaneKind::samples) return std::nullopt;
        return number_in(trace.strings[lane.tid]);
    }
    std::optional<int64_t> pid() const {
        return number_in(trace.strings[trace.processes[lane.process].pid]);
    }
};

struct SqlProcessRow {
    const Trace& trace;
    uint32_t id = 0;
    const Process& process = trace.processes[id];
};

struct SqlTrackRow {
    const Trace& trace;
    LaneId id = 0;
    LaneId thread = SliceRef::no_index;
    const Lane& lane = trace.lanes[id];

    std::string_view type() const {
        if (is_thread(lane)) return "thread_track";
        return lane.kind == LaneKind::counter ? "counter_track" : "process_track";
    }
};

struct SqlCounterRow {
    uint32_t id = 0;
    LaneId lane = 0;
    Nanos time = 0;
    double value = 0;
};

struct SqlFlowRow {
    const SqlSource& source;
    uint32_t id = 0;
    const Link& link = source.trace.links[id];
};

struct SqlBoundsRow {
    Nanos start = 0;
    Nanos end = 0;
};

struct SqlMetadataRow {
    uint32_t id = 0;
    std::string_view name, value;
};

struct SqlStatRow {
    const Warning& warning;
};

namespace {

constexpr auto kThreadColumns = columns<SqlThreadRow>({
    {{"id", Unit::none, kNoAggregate, "", "Number of the thread."},
     [](const SqlThreadRow& row) { return row.id; }},
    {{"utid", Unit::none, kNoAggregate, "", "The same number."},
     [](const SqlThreadRow& row) { return row.id; }},
    {{"tid", Unit::none, kNoAggregate, kNotNumber, "Id of the thread in the file."},
     [](const SqlThreadRow& row) { return row.tid(); }},
    {{"name", Unit::none, kNoAggregate, "", "Name of the thread or stream."},
     [](const SqlThreadRow& row) { return row.trace.strings[row.lane.name]; }},
    {{"start_ts", Unit::none, kNoAggregate, kNotKept, "Not known."},
     [](const SqlThreadRow&) { return std::optional<int64_t>(); }},
    {{"end_ts", Unit::none, kNoAggregate, kNotKept, "Not known."},
     [](const SqlThreadRow&) { return std::optional<int64_t>(); }},
    {{"upid", Unit::none, kNoAggregate, "", "Number of its process."},
     [](const SqlThreadRow& row) { return row.lane.process; }},
    {{"is_main_thread", Unit::none, kNoAggregate, kNotNumber,
      "1 if the ids of thread and process are equal, else 0."},
     [](const SqlThreadRow& row) {
         const auto tid = row.tid();
         return tid ? std::optional<int64_t>(tid == row.pid()) : std::nullopt;
     }},
});
constexpr TableOf<SqlThreadRow> kThreadTable = {{"thread", "Threads and GPU streams."},
                                                kThreadColumns};

constexpr auto kProcessColumns = columns<SqlProcessRow>({
    {{"id", Unit::none, kNoAggregate, "", "Number of the process."},
     [](const SqlProcessRow& row) { return row.id; }},
    {{"upid", Unit::none, kNoAggregate, "", "The same number."},
     [](const SqlProcessRow& row) { return row.id; }},
    {{"pid", Unit::none, kNoAggregate, kNotNumber, "Id of the process in the file."},
     [](const SqlProcessRow& row) { return number_in(row.trace.strings[row.process.pid]); }},
    {{"name", Unit::none, kNoAggregate, kNoName, "Name of the process."},
     [](const SqlProcessRow& row) { return known_text(row.trace.strings[row.process.name]); }},
    {{"start_ts", Unit::none, kNoAggregate, kNotKept, "Not known."},
     [](const SqlProcessRow&) { return std::optional<int64_t>(); }},
    {{"end_ts", Unit::none, kNoAggregate, kNotKept, "Not known."},
     [](const SqlProcessRow&) { return std::optional<int64_t>(); }},
    {{"parent_upid", Unit::none, kNoAggregate, kNotKept, "Not known."},
     [](const SqlProcessRow&) { return std::optional<int64_t>(); }},
    {{"uid", Unit::none, kNoAggregate, kNotKept, "Not known."},
     [](const SqlProcessRow&) { return std::optional<int64_t>(); }},
    {{"cmdline", Unit::none, kNoAggregate, kNotKept, "Not known."},
     [](const SqlProcessRow&) { return std::optional<std::string_view>(); }},
    {{"labels", Unit::none, kNoAggregate, "it has no labels", "Kineto's label: CPU, GPU 0."},
     [](const SqlProcessRow& row) { return known_text(row.trace.strings[row.process.labels]); }},
});
constexpr TableOf<SqlProcessRow> kProcessTable = {{"process", "Processes and GPUs."},
                                                  kProcessColumns};

constexpr SharedColumn kTrackId{
    ColumnText{"id", Unit::none, kNoAggregate, "", "Number of the track."},
    [](const auto& row) { return row.id; }};
constexpr SharedColumn kTrackName{
    ColumnText{"name", Unit::none, kNoAggregate, kNoName, "Name of the track."},
    [](const auto& row) { return known_text(row.trace.strings[row.lane.name]); }};
constexpr SharedColumn kTrackType{
    ColumnText{"type", Unit::none, kNoAggregate, "", "The most specific table with this track."},
    [](const auto& row) { return row.type(); }};
constexpr SharedColumn kTrackParent{
    ColumnText{"parent_id", Unit::none, kNoAggregate, kNotKept, "Tracks have no parents."},
    [](const auto&) { return std::optional<int64_t>(); }};
constexpr SharedColumn kTrackThread{
    ColumnText{"utid", Unit::none, kNoAggregate, "", "Number of its thread."},
    [](const auto& row) { return row.thread; }};
constexpr SharedColumn kTrackProcess{
    ColumnText{"upid", Unit::none, kNoAggregate, "", "Number of its process."},
    [](const auto& row) { return row.lane.process; }};

constexpr auto kTrackColumns =
    columns<SqlTrackRow>({kTrackId, kTrackName, kTrackType, kTrackParent});
constexpr TableOf<SqlTrackRow> kTrackTable = {{"track",
                                               "All lanes: threads, asynchronous ranges "
                                               "and counters."},
                                              kTrackColumns};
constexpr auto kThreadTrackColumns =
    columns<SqlTrackRow>({kTrackId, kTrackName, kTrackType, kTrackParent, kTrackThread});
constexpr TableOf<SqlTrackRow> kThreadTrackTable = {{"thread_track", "Lanes of threads."},
                                                    kThreadTrackColumns};
constexpr auto kProcessTrackColumns =
    columns<SqlTrackRow>({kTrackId, kTrackName, kTrackType, kTrackParent, kTrackProcess});
constexpr TableOf<SqlTrackRow> kProcessTrackTable = {
    {"process_track", "Lanes of asynchronous ranges."}, kProcessTrackColumns};
constexpr TableOf<SqlTrackRow> kProcessCounterTrackTable = {
    {"process_counter_track", "Counters with their processes."}, kProcessTrackColumns};
constexpr auto kCounterTrackColumns = columns<SqlTrackRow>({
    kTrackId,
    kTrackName,
    kTrackType,
    kTrackParent,
    {{"unit", Unit::none, kNoAggregate, kNotKept, "Not known."},
     [](const SqlTrackRow&) { return std::optional<std::string_view>(); }},
});
constexpr TableOf<SqlTrackRow> kCounterTrackTable = {{"counter_track", "Counters."},
                                                     kCounterTrackColumns};

constexpr auto kCounterColumns = columns<SqlCounterRow>({
    {{"id", Unit::none, kNoAggregate, "", "Number of the value."},
     [](const SqlCounterRow& row) { return row.id; }},
    {{"ts", Unit::none, kNoAggregate, "", "When the value began to hold, in ns."},
     [](const SqlCounterRow& row) { return row.time; }},
    {{"track_id", Unit::none, kNoAggregate, "", "Number of the counter's track."},
     [](const SqlCounterRow& row) { return row.lane; }},
    {{"value", Unit::none, kNoAggregate, "it is not a number", "The value."},
     [](const SqlCounterRow& row) { return row.value; }},
});
constexpr TableOf<SqlCounterRow> kCounterTable = {{"counter", "Values of counters."},
                                                  kCounterColumns};

std::string_view link_name(LinkKind kind) {
    if (kind == LinkKind::launch) return "launch";
    return kind == LinkKind::forward_backward ? "forward_backward" : "flow";
}

constexpr auto kFlowColumns = columns<SqlFlowRow>({
    {{"id", Unit::none, kNoAggregate, "", "Number of the flow."},
     [](const SqlFlowRow& row) { return row.id; }},
    {{"slice_out", Unit::none, kNoAggregate, "", "Id of the slice that it leaves."},
     [](const SqlFlowRow& row) { return row.source.slices.id_of(row.link.from); }},
    {{"slice_in", Unit::none, kNoAggregate, "", "Id of the slice that it leads to."},
     [](const SqlFlowRow& row) { return row.source.slices.id_of(row.link.to); }},
    {{"trace_id", Unit::none, kNoAggregate, kNotKept, "Not kept."},
     [](const SqlFlowRow&) { return std::optional<int64_t>(); }},
    {{"arg_set_id", Unit::none, kNoAggregate, kNotKept, "Flows have no arguments."},
     [](const SqlFlowRow&) { return std::optional<int64_t>(); }},
    {{"kind", Unit::none, kNoAggregate, "",
      "launch (by correlation), forward_backward, or flow (any other of the file)."},
     [](const SqlFlowRow& row) { return link_name(row.link.kind); }},
});
constexpr TableOf<SqlFlowRow> kFlowTable = {{"flow", "Which slice leads to which."}, kFlowColumns};

constexpr auto kBoundsColumns = columns<SqlBoundsRow>({
    {{"start_ts", Unit::none, kNoAggregate, "", "Time of the first event, in ns."},
     [](const SqlBoundsRow& row) { return row.start; }},
    {{"end_ts", Unit::none, kNoAggregate, "", "Latest end of an event, in ns."},
     [](const SqlBoundsRow& row) { return row.end; }},
});
constexpr TableOf<SqlBoundsRow> kBoundsTable = {{"trace_bounds", "Begin and end of the trace."},
                                                kBoundsColumns};

constexpr auto kMetadataColumns = columns<SqlMetadataRow>({
    {{"id", Unit::none, kNoAggregate, "", "Number of the entry."},
     [](const SqlMetadataRow& row) { return row.id; }},
    {{"name", Unit::none, kNoAggregate, "", "A key at the file's top level."},
     [](const SqlMetadataRow& row) { return row.name; }},
    {{"int_value", Unit::none, kNoAggregate, "it is no whole number", "The value, if a number."},
     [](const SqlMetadataRow& row) { return number_in(row.value); }},
    {{"str_value", Unit::none, kNoAggregate, "", "The value as JSON."},
     [](const SqlMetadataRow& row) { return row.value; }},
});
constexpr TableOf<SqlMetadataRow> kMetadataTable = {
    {"metadata", "What the file says about itself."}, kMetadataColumns};

constexpr auto kStatColumns = columns<SqlStatRow>({
    {{"name", Unit::none, kNoAggregate, "", "Code of the warning."},
     [](const SqlStatRow& row) { return std::string_view(row.warning.code); }},
    {{"value", Unit::none, kNoAggregate, "", "How often it occurred."},
     [](const SqlStatRow& row) { return row.warning.count; }},
    {{"description", Unit::none, kNoAggregate, "", "The warning in words."},
     [](const SqlStatRow& row) { return std::string_view(row.warning.text); }},
});
constexpr TableOf<SqlStatRow> kStatTable = {{"stats", "Warnings about the file."}, kStatColumns};

template <typename Choose>
Table track_rows(const SqlSource& source, const TableOf<SqlTrackRow>& declaration,
                 const Choose& choose) {
    const std::vector<LaneId> threads = threads_of_lanes(source.trace);
    TableBuilder<SqlTrackRow> table(declaration);
    for (LaneId id = 0; id < source.trace.lanes.size(); ++id)
        if (choose(source.trace.lanes[id])) table.add({source.trace, id, threads[id]});
    return table.take();
}

Table thread_rows(const SqlSource& source) {
    const std::vector<LaneId> threads = threads_of_lanes(source.trace);
    TableBuilder<SqlThreadRow> table(kThreadTable);
    for (LaneId id = 0; id < source.trace.lanes.size(); ++id)
        if (threads[id] == id) table.add({source.trace, id});
    return table.take();
}

Table process_rows(const SqlSource& source) {
    TableBuilder<SqlProcessRow> table(kProcessTable);
    for (uint32_t id = 0; id < source.trace.processes.size(); ++id) table.add({source.trace, id});
    return table.take();
}

std::vector<uint32_t> numbers_below(std::size_t count) {
    std::vector<uint32_t> numbers(count);
    for (uint32_t i = 0; i < numbers.size(); ++i) numbers[i] = i;
    return numbers;
}

Table counter_rows(const SqlSource& source) {
    std::vector<std::pair<uint32_t, LaneId>> firsts;  // the first value of each counter
    uint32_t count = 0;
    for (LaneId id = 0; id < source.trace.lanes.size(); ++id)
        if (const auto& series = source.trace.lanes[id].counter) {
            firsts.emplace_back(count, id);
            count += static_cast<uint32_t>(series->time.size());
        }
    return table_on_demand<SqlCounterRow>(
        kCounterTable, numbers_below(count),
        [firsts = std::move(firsts), owner = source.owner](uint32_t id) {
            const auto after = std::upper_bound(
                firsts.begin(), firsts.end(), id,
                [](uint32_t number, const auto& first) { return number < first.first; });
            const auto [first, lane] = *std::prev(after);
            const CounterSeries& series = *owner->lanes[lane].counter;
            return SqlCounterRow{id, lane, series.time[id - first], series.value[id - first]};
        });
}

Table metadata_rows(const SqlSource& source) {
    TableBuilder<SqlMetadataRow> table(kMetadataTable);
    uint32_t id = 0;
    for (const auto& [name, value] : source.trace.metadata) table.add({id++, name, value});
    return table.take();
}

}  // namespace

void add_perfetto_tables(const SqlSource& source, std::vector<SqlTable>& tables) {
    const auto add = [&](const TableSpec& spec, double rows, auto make) {
        tables.push_back({std::string(spec.name), &spec,
                          [make](SqlSource& from, const TableQuery&) { return make(from); }, false,
                          rows});
    };
    const auto tracks = [&](const TableOf<SqlTrackRow>& spec, auto choose) {
        add(spec, static_cast<double>(source.trace.lanes.size()),
            [&spec, choose](SqlSource& from) { return track_rows(from, spec, choose); });
    };
    const auto lanes = static_cast<double>(source.trace.lanes.size());
    add(kThreadTable, lanes, thread_rows);
    add(kProcessTable, static_cast<double>(source.trace.processes.size()), process_rows);
    tracks(kTrackTable, [](const Lane&) { return true; });
    tracks(kThreadTrackTable, is_thread);
    tracks(kProcessTrackTable, [](const Lane& lane) { return lane.kind == LaneKind::async; });
    tracks(kCounterTrackTable, [](const Lane& lane) { return lane.kind == LaneKind::counter; });
    tracks(kProcessCounterTrackTable,
           [](const Lane& lane) { return lane.kind == LaneKind::counter; });
    double points = 1;
    for (const Lane& lane : source.trace.lanes)
        if (lane.counter) points += static_cast<double>(lane.counter->time.size());
    add(kCounterTable, points, counter_rows);
    add(kFlowTable, static_cast<double>(source.trace.links.size()), [](const SqlSource& from) {
        return table_on_demand<SqlFlowRow>(kFlowTable, numbers_below(from.trace.links.size()),
                                           [&from](uint32_t id) {
                                               return SqlFlowRow{from, id};
                                           });
    });
    add(kBoundsTable, 1, [](const SqlSource& from) {
        TableBuilder<SqlBoundsRow> table(kBoundsTable);
        table.add({from.trace.origin, from.trace.end});
        return table.take();
    });
    add(kMetadataTable, 20, metadata_rows);
    add(kStatTable, 20, [](const SqlSource& from) {
        TableBuilder<SqlStatRow> table(kStatTable);
        for (const Warning& warning : from.trace.warnings) table.add({warning});
        return table.take();
    });
}

}  // namespace lanescope
