#include "core/insight/facts.h"

#include <fmt/format.h>

#include <array>
#include <string>

namespace lanescope {

namespace {

constexpr std::array kFactsColumns = {
    ColumnSpec{"fact", ValueType::text, Unit::none, "",
               "The fact: its key in `lanescope info --format json`."},
    ColumnSpec{"item", ValueType::text, Unit::none, "the fact has one value",
               "The phase, category, device, warning or part that the value belongs to."},
    ColumnSpec{"value", ValueType::text, Unit::none, "not known",
               "The value; times in ns, sizes in bytes."},
};

template <typename Map>
void add_all(Table& table, const char* fact, const Map& values) {
    for (const auto& [item, value] : values)
        table.add_row({fact, item, static_cast<int64_t>(value)});
}

void add(Table& table, const char* fact, Cell value) {
    table.add_row({fact, Cell(), value});
}

}  // namespace

const TableSpec kFactsTable = {"info", "Exact facts of a file, one a row.", kFactsColumns};

Table facts_table(const Trace& trace, const LoadCost& cost) {
    const FileFacts& facts = trace.facts;
    Table table(kFactsTable);
    add(table, "format", facts.format);
    add(table, "producer", facts.producer);
    for (const Device& device : trace.devices)
        table.add_row({"devices", fmt::format("{}", device.id), device.name});
    add(table, "events", static_cast<int64_t>(facts.events));
    add_all(table, "phases", facts.phases);
    add_all(table, "complete_by_category", facts.complete_by_category);
    add_all(table, "duration_ns_by_category", facts.duration_ns_by_category);
    add(table, "rows_with_complete_events", static_cast<int64_t>(facts.rows_with_complete_events));
    add(table, "zero_duration", static_cast<int64_t>(facts.zero_duration));
    add(table, "max_stack", static_cast<int64_t>(facts.max_stack));
    add(table, "partial_overlaps", static_cast<int64_t>(facts.partial_overlaps));
    add(table, "gpu_activities", static_cast<int64_t>(facts.gpu_activities));
    add(table, "gpu_activities_with_launch",
        static_cast<int64_t>(facts.gpu_activities_with_launch));
    for (const Warning& w : trace.warnings)
        table.add_row({"warnings", w.code, fmt::format("{} × {}", w.count, w.text)});
    table.add_row({"load", "bytes", static_cast<int64_t>(cost.bytes)});
    table.add_row({"load", "seconds", cost.seconds});
    table.add_row({"load", "resident_bytes", static_cast<int64_t>(cost.resident_bytes)});
    return table;
}

}  // namespace lanescope
