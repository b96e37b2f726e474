// Adds the rows of a batch to the builder's side tables.
#include "core/ingest/build/appender.h"

namespace lanescope {

namespace {

// Appends to a column that stays empty until a row has a value.
template <typename T>
void push_sparse(Column<T>& column, std::size_t row, T value, T none) {
    if (value == none && column.empty()) return;
    while (column.size() < row) column.push_back(none);
    column.push_back(value);
}

}  // namespace

void Appender::add_side_rows() {
    for (const GpuRow& row : batch_.gpu) add_gpu(row);
    for (const RuntimeRow& row : batch_.runtime) add_runtime(row);
    for (const RawOperatorRow& row : batch_.operators) add_operator(row);
    for (const PythonRow& row : batch_.python) add_python(row);
    for (const MemoryRow& row : batch_.memory) add_memory(row);
    for (const RawCollectiveRow& row : batch_.collectives) add_collective(row);
    for (const SyncRow& row : batch_.syncs) add_sync(row);
    for (const SampleRow& row : batch_.samples) add_sample(row);
    for (const CounterRow& row : batch_.counters) add_counter(row);
    for (const MetadataRow& row : batch_.metadata) add_metadata(row);
}

void Appender::add_runtime(const RuntimeRow& row) {
    const SliceRef slice = slice_of_[row.event];
    if (!slice) return;
    const std::size_t n = state_.runtime.slice.size();
    state_.runtime.slice.push_back(slice);
    state_.runtime.correlation.push_back(row.correlation);
    push_sparse(state_.runtime.external_id, n, row.external_id, kNoValue);
}

void Appender::add_python(const PythonRow& row) {
    const SliceRef slice = slice_of_[row.event];
    if (!slice) return;
    const std::size_t n = state_.python.slice.size();
    state_.python.slice.push_back(slice);
    push_sparse(state_.python.python_id, n, row.python_id, kNoValue);
    push_sparse(state_.python.parent_id, n, row.parent_id, kNoValue);
    push_sparse(state_.python.module_id, n, row.module_id, kNoValue);
}

void Appender::add_sample(const SampleRow& row) {
    const SliceRef slice = slice_of_[row.event];
    if (!slice) return;
    const std::size_t n = state_.samples.slice.size();
    state_.samples.slice.push_back(slice);
    state_.samples.samples.push_back(row.samples);
    state_.samples.cpu_time.push_back(row.cpu_time);
    state_.samples.module.push_back(text(row.module));
    push_sparse(state_.samples.gil_samples, n, row.gil_samples, kNoValue);
    push_sparse(state_.samples.running_samples, n, row.running_samples, kNoValue);
}

void Appender::add_counter(const CounterRow& row) {
    const RawEvent& event = batch_.events[row.event];
    if (event.flags & kHasTime)
        state_.counters.push_back(
            {event.time, row.value, lane(event.lane), name(event.name), text(row.series)});
}

void Appender::add_gpu(const GpuRow& row) {
    const SliceRef slice = slice_of_[row.event];
    if (!slice) return;
    GpuActivities& gpu = state_.gpu;
    const std::size_t n = gpu.slice.size();
    gpu.slice.push_back(slice);
    gpu.correlation.push_back(row.correlation);
    push_sparse(gpu.external_id, n, row.external_id, kNoValue);
    gpu.device.push_back(row.device);
    gpu.stream.push_back(row.stream);
    gpu.config.push_back(row.config.grid[0] == 0 ? kNoRow : find_config(row.config));
    push_sparse(gpu.bytes, n, row.bytes, kNoValue);
    push_sparse(gpu.graph_node, n, row.graph_node, kNoValue);
    LaneBuild& l = state_.lanes[slice.lane];
    if (l.device < 0) l.device = row.device;
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

void Appender::add_operator(const RawOperatorRow& row) {
    const SliceRef slice = slice_of_[row.event];
    if (!slice) return;
    Operators& ops = state_.operators;
    const std::size_t n = ops.slice.size();
    ops.slice.push_back(slice);
    push_sparse(ops.external_id, n, row.external_id, kNoValue);
    push_sparse(ops.sequence, n, row.sequence, kNoValue);
    push_sparse(ops.forward_thread, n, row.forward_thread, kNoValue);
    const auto push = [&](Column<StringId>& column, LocalId id) {
        if (id != 0 || !column.empty()) push_sparse(column, n, text(id), StringId{0});
    };
    push(ops.input_dims, row.input_dims);
    push(ops.input_types, row.input_types);
    push(ops.input_strides, row.input_strides);
    push(ops.concrete_inputs, row.concrete_inputs);
    push(ops.call_stack, row.call_stack);
    push(ops.module_hierarchy, row.module_hierarchy);
    push(ops.kernel_gigabytes, row.kernel_gigabytes);
    push(ops.kernel_flop, row.kernel_flop);
}

void Appender::add_memory(const MemoryRow& row) {
    const RawEvent& event = batch_.events[row.event];
    if (!(event.flags & kHasTime)) return;
    MemoryEvents& memory = state_.memory;
    memory.time.push_back(event.time);
    memory.lane.push_back(lane(event.lane));
    memory.address.push_back(row.address);
    memory.bytes.push_back(row.bytes);
    memory.total_allocated.push_back(row.total_allocated);
    memory.total_reserved.push_back(row.total_reserved);
    memory.device_type.push_back(row.device_type);
    memory.device_id.push_back(row.device_id);
}

void Appender::add_collective(const RawCollectiveRow& row) {
    const SliceRef slice = slice_of_[row.event];
    if (!slice) return;
    Collectives& c = state_.collectives;
    c.slice.push_back(slice);
    c.name.push_back(text(row.name));
    c.dtype.push_back(text(row.dtype));
    c.group_name.push_back(text(row.group_name));
    c.group_ranks.push_back(text(row.group_ranks));
    c.group_description.push_back(text(row.group_description));
    c.in_split.push_back(text(row.in_split));
    c.out_split.push_back(text(row.out_split));
    c.in_elements.push_back(row.in_elements);
    c.out_elements.push_back(row.out_elements);
    c.group_size.push_back(row.group_size);
}

void Appender::add_sync(const SyncRow& row) {
    const SliceRef slice = slice_of_[row.event];
    if (!slice) return;
    Synchronisations& syncs = state_.syncs;
    syncs.slice.push_back(slice);
    syncs.kind.push_back(text(row.kind));
    syncs.correlation.push_back(row.correlation);
    syncs.stream.push_back(row.stream);
    syncs.wait_on_stream.push_back(row.wait_on_stream);
    syncs.wait_on_event_correlation.push_back(row.wait_on_event_correlation);
    syncs.wait_on_event.push_back(row.wait_on_event);
}

void Appender::add_metadata(const MetadataRow& row) {
    LaneBuild& l = state_.lanes[lane(batch_.events[row.event].lane)];
    ProcessBuild& process = state_.processes[l.pid];
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
