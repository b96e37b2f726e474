// Adds the rows of a batch to the builder's side tables.
#include "core/ingest/build/appender.h"

namespace lanescope {

template <typename Kind>
typename Kind::Stored Appender::stored(const GivenFact<Kind>& given) {
    if constexpr (std::is_same_v<Kind, TextFact> || std::is_same_v<Kind, RareTextFact>)
        return text(given);
    else if constexpr (std::is_same_v<Kind, ConfigFact>)
        return given.grid[0] == 0 ? kNoRow : find_config(given);
    else
        return given;
}

template <typename Row, typename Table>
void Appender::add_facts(const Row& row, Table& table, std::size_t rows) {
    for_each_fact(
        [&](auto kind, auto& column, const auto& given) {
            if constexpr (!kind.in_every_row) {
                // A local id of 0 is the empty text.
                if (column.empty() && given == kind.none) return;
                while (column.size() < rows) column.push_back(kind.none);
            }
            column.push_back(stored(given));
        },
        table, row);
}

template <template <typename> typename FactSet>
void Appender::add_row(const FactRow<FactSet>& row, SliceFactTable<FactSet>& table) {
    const SliceRef slice = slice_of_[row.event];
    if (!slice) return;
    const std::size_t rows = table.rows();
    table.slice.push_back(slice);
    add_facts(row, table, rows);
}

template <template <typename> typename FactSet>
void Appender::add_row(const FactRow<FactSet>& row, InstantFactTable<FactSet>& table) {
    const RawEvent& event = batch_.events[row.event];
    if (!(event.flags & kHasTime)) return;
    const std::size_t rows = table.rows();
    table.time.push_back(event.time);
    table.lane.push_back(lane(event.lane));
    add_facts(row, table, rows);
}

void Appender::add_side_rows() {
    for_each_table(
        [&](auto& table, const auto& rows) {
            for (const auto& row : rows) add_row(row, table);
        },
        state_.tables, batch_);
    for (const FactRow<GpuFacts>& row : batch_.gpu_activities) note_device(row);
    for (const CounterRow& row : batch_.counters) add_counter(row);
    for (const MetadataRow& row : batch_.metadata) add_metadata(row);
}

void Appender::note_device(const FactRow<GpuFacts>& row) {
    const SliceRef slice = slice_of_[row.event];
    if (!slice) return;
    LaneBuild& l = state_.lanes[slice.lane];
    if (l.device < 0) l.device = row.device;
}

void Appender::add_counter(const CounterRow& row) {
    const RawEvent& event = batch_.events[row.event];
    if (event.flags & kHasTime)
        state_.counters.push_back(
            {event.time, row.value, lane(event.lane), name(event.name), text(row.series)});
}

uint32_t Appender::find_config(const LaunchConfig& config) {
    uint64_t hash = 0;
    const auto add = [&hash](uint64_t value) { hash = (hash ^ value) * 0x9E3779B97F4A7C15ULL; };
    for (const uint32_t v : config.grid) add(v);
    for (const uint32_t v : config.block) add(v);
    add(static_cast<uint64_t>(config.registers_per_thread));
    add(static_cast<uint64_t>(config.shared_memory_bytes));
    add(static_cast<uint64_t>(config.static_shared_bytes));
    add(static_cast<uint64_t>(config.kineto_occupancy_percent));
    std::vector<uint32_t>& rows = state_.config_of[hash];
    for (const uint32_t row : rows)
        if (state_.launch_configs[row] == config) return row;
    rows.push_back(static_cast<uint32_t>(state_.launch_configs.size()));
    state_.launch_configs.push_back(config);
    return rows.back();
}

void Appender::add_metadata(const MetadataRow& row) {
    LaneBuild& l = state_.lanes[lane(batch_.events[row.event].lane)];
    ProcessBuild& process = state_.processes[l.process];
    switch (row.fact) {
        case LaneFact::process_name:
            process.name = text(row.text);
            break;
        case LaneFact::process_labels:
            process.labels = text(row.text);
            break;
        case LaneFact::process_sort_index:
            process.sort_index = row.number;
            process.has_sort_index = true;
            break;
        case LaneFact::thread_name:
            l.name = text(row.text);
            break;
        case LaneFact::thread_sort_index:
            l.sort_index = row.number;
            l.has_sort_index = true;
            break;
    }
}

}  // namespace lanescope
