#include "core/insight/summary/facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "core/analysis/collectives/distributed_facts.h"
#include "core/replays/graph_replays.h"
#include "core/trace/clock.h"
#include "core/trace/join.h"

namespace lanescope {

struct FactTableRow {
    std::string_view fact;
    std::optional<std::string> item;
    std::string value;
};

namespace {

std::optional<std::string_view> view_of(const std::optional<std::string>& text) {
    return text ? std::optional(std::string_view(*text)) : std::nullopt;
}

constexpr auto kFactColumns = columns<FactTableRow>({
    {{"fact", Unit::none, kDistinct, "", "The fact: its key in `lanescope info --format json`."},
     [](const FactTableRow& row) { return row.fact; }},
    {{"item", Unit::none, kDistinct, "the fact has one value",
      "The phase, category, device, warning, process group or file that the value belongs to, or "
      "the "
      "name of one of several values."},
     [](const FactTableRow& row) { return view_of(row.item); }},
    {{"value", Unit::none, kDistinct, "", "The value; times in ns, sizes in bytes."},
     [](const FactTableRow& row) { return std::string_view(row.value); }},
});

using Builder = TableBuilder<FactTableRow>;

template <typename Map>
void add_all(Builder& table, std::string_view fact, const Map& values) {
    for (const auto& [item, value] : values)
        table.add({fact, std::string(item), fmt::format("{}", value)});
}

template <typename Value>
void add(Builder& table, std::string_view fact, const Value& value) {
    table.add({fact, std::nullopt, fmt::format("{}", value)});
}

// A top-level text of the file; empty: not present.
std::string text_of_file(const Trace& file, std::string_view key) {
    const auto found =
        std::ranges::find(file.metadata, key, &std::pair<std::string, std::string>::first);
    if (found == file.metadata.end()) return "";
    const auto value = nlohmann::json::parse(found->second, nullptr, false);
    return value.is_string() ? value.get<std::string>() : "";
}

void add_job(Builder& table, const Trace& file, const std::optional<std::string>& name) {
    const std::optional<DistributedFacts> job = distributed_facts(file);
    if (!job) return;
    if (job->rank) table.add({"rank", name, fmt::format("{}", *job->rank)});
    if (job->world_size) table.add({"world_size", name, fmt::format("{}", *job->world_size)});
    if (!job->backend.empty()) table.add({"backend", name, job->backend});
    if (name) return;
    for (const ProcessGroupFacts& group : job->groups)
        table.add({"process_groups", group.name, group.backend});
}

void add_clock(Builder& table, const Trace& file) {
    const ClockFacts clock = clock_facts(file);
    table.add({"clock", "begin_ns", fmt::format("{}", clock.begin)});
    table.add({"clock", "end_ns", fmt::format("{}", clock.end)});
    if (clock.unix_base) table.add({"clock", "unix_base_ns", fmt::format("{}", *clock.unix_base)});
    if (!clock.host.empty()) table.add({"clock", "host", clock.host});
    if (file.facts.time_base_us != 0)
        table.add({"clock", "time_base_us", fmt::format("{}", file.facts.time_base_us)});
}

void add_files(Builder& table, const JoinFacts& join) {
    add(table, "aligned_by", join.aligned_by);
    for (const TracePtr& file : join.files) {
        const std::string& name = file->parts[file->only_part].name;
        table.add({"path", name, file->path});
        table.add({"offset_ns", name, fmt::format("{}", shift_of(*file))});
        table.add({"hash", name, file->facts.hash});
        add_job(table, *file, name);
    }
}

}  // namespace

ClockFacts clock_facts(const Trace& file) {
    const Nanos shift = shift_of(file);
    const TimeRange span = file_span(file);
    ClockFacts clock;
    clock.begin = span.begin - shift;
    clock.end = span.end - shift;
    if (const auto base = unix_base(file)) clock.unix_base = *base + shift;
    clock.base_is_recorded = file.base_unix_nanos != 0;
    for (const char* key : {"host_name", "host"})
        if (clock.host.empty()) clock.host = text_of_file(file, key);
    return clock;
}

const TableOf<FactTableRow> kFactsTable = {{"info", "Exact facts of a file, one a row."},
                                           kFactColumns};

Table facts_table(const Trace& trace, const LoadCost& cost, const JoinFacts& join) {
    const FileFacts& facts = trace.facts;
    Builder table(kFactsTable);
    add(table, "format", facts.format);
    add(table, "producer", facts.producer);
    for (const Device& device : trace.devices)
        table.add({"devices", fmt::format("{}", device.id), device.name});
    add(table, "events", facts.events);
    add_all(table, "phases", facts.phases);
    add_all(table, "complete_by_category", facts.complete_by_category);
    add_all(table, "duration_ns_by_category", facts.duration_ns_by_category);
    add(table, "rows_with_complete_events", facts.rows_with_complete_events);
    add(table, "zero_duration", facts.zero_duration);
    add(table, "max_stack", facts.max_stack);
    add(table, "partial_overlaps", facts.partial_overlaps);
    add(table, "gpu_activities", facts.gpu_activities);
    add(table, "gpu_activities_with_launch", facts.gpu_activities_with_launch);
    add(table, "launches", facts.launches);
    add(table, "launches_without_gpu_record", facts.launches_without_gpu_record);
    add(table, "records_without_time", facts.records_without_time);
    add(table, "records_over_successors", facts.records_over_successors);
    const ReplayCounts replays = count_replays(trace);
    table.add({"graph_replays", "launches", fmt::format("{}", replays.launches)});
    table.add({"graph_replays", "kernels", fmt::format("{}", replays.kernels)});
    for (const ReplayLink link : kReplayLinks)
        table.add({"graph_replays", fmt::format("by {}", replay_link_name(link)),
                   fmt::format("{}", replays.by[static_cast<std::size_t>(link)])});
    for (const std::string& capture : facts.graph_captures) add(table, "graph_captures", capture);
    for (const std::string& path : facts.compile_artifacts) add(table, "compile_artifacts", path);
    for (const Warning& w : trace.warnings)
        table.add({"warnings", w.code, fmt::format("{} × {}", w.count, w.text)});
    table.add({"load", "bytes", fmt::format("{}", cost.bytes)});
    table.add({"load", "seconds", fmt::format("{}", cost.seconds)});
    if (cost.resident_bytes)
        table.add({"load", "resident_bytes", fmt::format("{}", *cost.resident_bytes)});
    if (!join.files.empty()) {
        add_files(table, join);
        return table.take();
    }
    add_job(table, trace, std::nullopt);
    add_clock(table, trace);
    add(table, "hash", trace.facts.hash);
    return table.take();
}

}  // namespace lanescope
