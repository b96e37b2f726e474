// Side tables: translates (builder's lane, raw index) to final slices, and sorts by them.
#include <algorithm>
#include <numeric>
#include <type_traits>

#include "core/ingest/build/finish_trace.h"
#include "core/trace/nesting.h"

namespace lanescope {

namespace {

// Shorter columns have little slack, and there may be a million of them.
constexpr std::size_t kWorthGivingBack = std::size_t{16} << 10;

// Computes the order of a table's rows by slice after translating its slices.
class RowSorter {
  public:
    RowSorter(const std::vector<LaneId>& final_lane, const std::vector<Column<uint32_t>>& place)
        : final_lane_(final_lane), place_(place), base_(place.size() + 1) {
        for (std::size_t i = 0; i < place.size(); ++i) base_[i + 1] = base_[i] + place[i].size();
    }

    // Translates `slices` to final slices and sorts them. Returns the old row of each new row.
    Column<uint32_t> order(Column<SliceRef>& slices) const {
        for (std::size_t i = 0; i < slices.size(); ++i) {
            SliceRef& slice = slices[i];
            const LaneId lane = final_lane_[slice.lane];
            slice = {lane, place_[lane][slice.index]};
        }
        Column<uint32_t> order(slices.size());
        if (slices.size() * 8 < base_.back()) {
            std::iota(order.data(), order.data() + order.size(), 0u);
            std::sort(order.data(), order.data() + order.size(),
                      [&](uint32_t a, uint32_t b) { return slices[a] < slices[b]; });
        } else {
            order_by_slice_number(slices, order);
        }
        return order;
    }

  private:
    // Every slice has at most one row: mark each row at its slice's number, then collect the rows
    // in order.
    void order_by_slice_number(const Column<SliceRef>& slices, Column<uint32_t>& order) const {
        Column<uint32_t> row_of(base_.back());
        std::fill_n(row_of.data(), row_of.size(), kNoRow);
        for (uint32_t i = 0; i < slices.size(); ++i)
            row_of[base_[slices[i].lane] + slices[i].index] = i;
        std::size_t next = 0;
        for (const uint32_t row : row_of)
            if (row != kNoRow) order[next++] = row;
    }

    const std::vector<LaneId>& final_lane_;
    const std::vector<Column<uint32_t>>& place_;
    std::vector<std::size_t> base_;
};

// Sorts a column by `order`. If the column is shorter than `rows`, it is first filled with "none".
template <typename T>
void permute(Column<T>& column, const Column<uint32_t>& order, std::size_t rows) {
    if (column.empty()) return;
    T none{};
    if constexpr (std::is_same_v<T, int64_t>) none = kNoValue;
    while (column.size() < rows) column.push_back(none);
    reorder(column, order);
}

// Calls visit(slices, other columns …) for each table; the tables that link launches come first.
template <typename Visit>
void for_each_launch_table(BuilderState& state, const Visit& visit) {
    GpuActivities& gpu = state.gpu;
    visit(gpu.slice, gpu.correlation, gpu.external_id, gpu.device, gpu.stream, gpu.config,
          gpu.bytes, gpu.graph_node);
    RuntimeCalls& calls = state.runtime;
    visit(calls.slice, calls.correlation, calls.external_id);
}

template <typename Visit>
void for_each_other_table(BuilderState& state, const Visit& visit) {
    Operators& ops = state.operators;
    visit(ops.slice, ops.external_id, ops.sequence, ops.forward_thread, ops.input_dims,
          ops.input_types, ops.input_strides, ops.concrete_inputs, ops.call_stack,
          ops.module_hierarchy, ops.kernel_gigabytes, ops.kernel_flop);
    PythonFrames& frames = state.python;
    visit(frames.slice, frames.python_id, frames.parent_id, frames.module_id);
    Collectives& c = state.collectives;
    visit(c.slice, c.name, c.dtype, c.group_name, c.group_ranks, c.group_description, c.in_split,
          c.out_split, c.in_elements, c.out_elements, c.group_size);
    Synchronisations& s = state.syncs;
    visit(s.slice, s.kind, s.correlation, s.stream, s.wait_on_stream, s.wait_on_event_correlation,
          s.wait_on_event);
    SampledCalls& samples = state.samples;
    visit(samples.slice, samples.samples, samples.cpu_time, samples.module, samples.gil_samples,
          samples.running_samples);
}

// Calls visit(columns …) for all tables that grow with the file.
template <typename Visit>
void for_each_growing(BuilderState& state, const Visit& visit) {
    for (LaneBuild& lane : state.lanes) {
        RawSlices& raw = lane.slices;
        visit(raw.start, raw.duration, raw.name, raw.category, raw.source);
        Instants& instants = lane.instants;
        visit(instants.time, instants.name, instants.category, instants.source);
    }
    for_each_launch_table(state, visit);
    for_each_other_table(state, visit);
    MemoryEvents& memory = state.memory;
    visit(memory.time, memory.lane, memory.address, memory.bytes, memory.total_allocated,
          memory.total_reserved, memory.device_type, memory.device_id);
    visit(state.flows);
}

}  // namespace

void give_back_slack(BuilderState& state) {
    const auto give_back = [](auto& column) {
        if (column.bytes() >= kWorthGivingBack) column.shrink_to_fit();
    };
    for_each_growing(state, [&](auto&... columns) { (give_back(columns), ...); });
}

void sort_by_time(MemoryEvents& memory) {
    const Column<uint32_t> order = time_order(memory.time);
    if (order.empty()) return;
    reorder(memory.time, order);
    reorder(memory.lane, order);
    reorder(memory.address, order);
    reorder(memory.bytes, order);
    reorder(memory.total_allocated, order);
    reorder(memory.total_reserved, order);
    reorder(memory.device_type, order);
    reorder(memory.device_id, order);
}

SideTables::SideTables(BuilderState& state, const std::vector<LaneId>& final_lane)
    : state_(state), final_lane_(final_lane) {}

void SideTables::find_orders(const std::vector<Column<uint32_t>>& place, WorkList& work) {
    const auto sorter = std::make_shared<const RowSorter>(final_lane_, place);
    const auto find_order = [&](Column<SliceRef>& slices, auto&...) {
        Column<uint32_t>& order = orders_.emplace_back();
        work.add(slices.size() * 4, [sorter, &order, &slices] { order = sorter->order(slices); });
    };
    for_each_launch_table(state_, find_order);
    for_each_other_table(state_, find_order);
}

void SideTables::sort_launch_tables(WorkList& work) {
    for_each_launch_table(state_, [&](auto&... columns) { sort_table(work, columns...); });
}

void SideTables::link_and_sort_others(Trace& trace, WorkList& work) {
    trace.gpu_activities = std::move(state_.gpu);
    trace.runtime_calls = std::move(state_.runtime);
    const std::size_t many =
        trace.gpu_activities.slice.size() + trace.runtime_calls.slice.size() + state_.flows.size();
    work.add(many * 8, [this, &trace] { link_slices(state_, final_lane_, trace); });
    for_each_other_table(state_, [&](auto&... columns) { sort_table(work, columns...); });
}

template <typename... T>
void SideTables::sort_table(WorkList& work, Column<T>&... columns) {
    const auto order = std::make_shared<const Column<uint32_t>>(std::move(orders_.front()));
    orders_.pop_front();
    (work.add(order->size(), [order, &columns] { permute(columns, *order, order->size()); }), ...);
}

void SideTables::give_to(Trace& trace) {
    trace.operators = std::move(state_.operators);
    trace.python_frames = std::move(state_.python);
    trace.collectives = std::move(state_.collectives);
    trace.synchronisations = std::move(state_.syncs);
    trace.sampled_calls = std::move(state_.samples);
    trace.launch_configs = std::move(state_.launch_configs);
    for (std::size_t i = 0; i < state_.memory.lane.size(); ++i)
        state_.memory.lane[i] = final_lane_[state_.memory.lane[i]];
    trace.memory_events = std::move(state_.memory);
}

namespace {

BuilderState clone_tables(const BuilderState& state) {
    BuilderState copy;
    const GpuActivities& gpu = state.gpu;
    copy.gpu = {gpu.slice.clone(),  gpu.correlation.clone(), gpu.external_id.clone(),
                gpu.device.clone(), gpu.stream.clone(),      gpu.config.clone(),
                gpu.bytes.clone(),  gpu.graph_node.clone()};
    const RuntimeCalls& calls = state.runtime;
    copy.runtime = {calls.slice.clone(), calls.correlation.clone(), calls.external_id.clone()};
    const Synchronisations& syncs = state.syncs;
    copy.syncs = {syncs.slice.clone(),          syncs.kind.clone(),
                  syncs.correlation.clone(),    syncs.stream.clone(),
                  syncs.wait_on_stream.clone(), syncs.wait_on_event_correlation.clone(),
                  syncs.wait_on_event.clone()};
    const MemoryEvents& memory = state.memory;
    copy.memory = {memory.time.clone(),
                   memory.lane.clone(),
                   memory.address.clone(),
                   memory.bytes.clone(),
                   memory.total_allocated.clone(),
                   memory.total_reserved.clone(),
                   memory.device_type.clone(),
                   memory.device_id.clone()};
    copy.categories = state.categories;
    return copy;
}

}  // namespace

void copy_side_tables(const BuilderState& state, const std::vector<LaneId>& final_lane,
                      const std::function<SliceRef(SliceRef)>& final_slice, Trace& trace) {
    BuilderState copy = clone_tables(state);
    const auto take = [&](Column<SliceRef>& slices, auto&... columns) {
        const std::size_t rows = slices.size();
        Column<uint32_t> order;
        for (uint32_t i = 0; i < rows; ++i) {
            slices[i] = final_slice(slices[i]);
            if (slices[i]) order.push_back(i);
        }
        std::sort(order.data(), order.data() + order.size(),
                  [&](uint32_t a, uint32_t b) { return slices[a] < slices[b]; });
        permute(slices, order, rows);
        (permute(columns, order, rows), ...);
    };
    for_each_launch_table(copy, take);
    for_each_other_table(copy, take);
    trace.gpu_activities = std::move(copy.gpu);
    trace.runtime_calls = std::move(copy.runtime);
    trace.synchronisations = std::move(copy.syncs);
    trace.launch_configs = state.launch_configs;
    for (LaneId& lane : std::span(copy.memory.lane.data(), copy.memory.lane.size()))
        lane = final_lane[lane];
    sort_by_time(copy.memory);
    trace.memory_events = std::move(copy.memory);
    link_slices(copy, final_lane, trace);
}

}  // namespace lanescope
