// Memory use of a builder's collected data.
#include "core/ingest/build/builder_state.h"

namespace lanescope {

namespace {

template <typename T>
uint64_t bytes_in(const Column<T>& column) {
    return column.size() * sizeof(T);
}

uint64_t bytes_in(const LaneBuild& lane) {
    const RawSlices& raw = lane.slices;
    const Instants& instants = lane.instants;
    return sizeof(LaneBuild) + bytes_in(raw.start) + bytes_in(raw.duration) + bytes_in(raw.name) +
           bytes_in(raw.category) + bytes_in(raw.source) + bytes_in(instants.time) +
           bytes_in(instants.name) + bytes_in(instants.category) + bytes_in(instants.source);
}

template <typename Table>
uint64_t bytes_in_table(const Table& table) {
    uint64_t bytes = table.rows() * sizeof(SliceRef);  // approximate cost of the place column
    for_each_fact([&](auto, const auto& column) { bytes += bytes_in(column); }, table);
    return bytes;
}

}  // namespace

uint64_t BuilderState::bytes() const {
    uint64_t bytes = strings.bytes() + name_traits.size() + bytes_in(pairs) + bytes_in(asyncs) +
                     bytes_in(flows) + bytes_in(counters) +
                     launch_configs.size() * sizeof(LaunchConfig);
    for (const LaneBuild& lane : lanes) bytes += bytes_in(lane);
    for_each_table([&](const auto& table) { bytes += bytes_in_table(table); }, tables);
    for (const auto& [name, value] : metadata) bytes += name.size() + value.size();
    return bytes;
}

}  // namespace lanescope
