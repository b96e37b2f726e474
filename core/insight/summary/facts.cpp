#include "core/insight/summary/facts.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <string>

#include "core/replays/graph_replays.h"

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
      "The phase, category, device, warning or part that the value belongs to."},
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

}  // namespace

const TableOf<FactTableRow> kFactsTable = {{"info", "Exact facts of a file, one a row."},
                                           kFactColumns};

Table facts_table(const Trace& trace, const LoadCost& cost) {
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
    for (const Warning& w : trace.warnings)
        table.add({"warnings", w.code, fmt::format("{} × {}", w.count, w.text)});
    table.add({"load", "bytes", fmt::format("{}", cost.bytes)});
    table.add({"load", "seconds", fmt::format("{}", cost.seconds)});
    if (cost.resident_bytes)
        table.add({"load", "resident_bytes", fmt::format("{}", *cost.resident_bytes)});
    return table.take();
}

}  // namespace lanescope
