// Side tables: from (builder's lane, raw index) to final slices, sorted by them.
#include <algorithm>
#include <functional>
#include <numeric>

#include "core/base/parallel.h"
#include "core/ingest/finish_trace.h"

namespace lanescope {

namespace {

// The order of a table's rows by slice, after translating its slices.
class RowSorter {
  public:
    RowSorter(const std::vector<LaneId>& final_lane, const std::vector<Column<uint32_t>>& place)
        : final_lane_(final_lane), place_(place), base_(place.size() + 1) {
        for (std::size_t i = 0; i < place.size(); ++i) base_[i + 1] = base_[i] + place[i].size();
    }

    // Translates and sorts `slices`; returns for each new row the old one.
    Column<uint32_t> sort(Column<SliceRef>& slices) const {
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
            sort_by_slice_number(slices, order);
        }
        permute(slices, order);
        return order;
    }

    template <typename T>
    static void permute(Column<T>& column, const Column<uint32_t>& order) {
        if (column.empty()) return;
        Column<T> sorted(order.size());
        for (std::size_t i = 0; i < order.size(); ++i) sorted[i] = column[order[i]];
        column = std::move(sorted);
    }

  private:
    // Every slice has at most one row: write rows where their slices stand, then read them off.
    void sort_by_slice_number(const Column<SliceRef>& slices, Column<uint32_t>& order) const {
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

template <typename T>
void pad(Column<T>& column, std::size_t rows, T none) {
    while (!column.empty() && column.size() < rows) column.push_back(none);
}

}  // namespace

void fill_side_tables(BuilderState& state, const std::vector<LaneId>& final_lane,
                      const std::vector<Column<uint32_t>>& place, Trace& trace, unsigned workers) {
    const RowSorter sorter(final_lane, place);
    // Sorts one table: numbers and texts that some rows lack are filled up first.
    const auto settle = [&](Column<SliceRef>& slices, auto&&... columns) {
        const auto fill = [&](auto& column) {
            using Value = std::remove_cvref_t<decltype(column[0])>;
            pad(column, slices.size(),
                std::is_same_v<Value, int64_t> ? static_cast<Value>(kNoValue) : Value{0});
        };
        (fill(columns), ...);
        const Column<uint32_t> order = sorter.sort(slices);
        (RowSorter::permute(columns, order), ...);
    };
    const std::vector<std::function<void()>> jobs = {
        [&] {
            Operators& t = state.operators;
            settle(t.slice, t.external_id, t.sequence, t.forward_thread, t.input_dims,
                   t.input_types, t.input_strides, t.concrete_inputs, t.call_stack,
                   t.module_hierarchy);
        },
        [&] {
            PythonFrames& t = state.python;
            settle(t.slice, t.python_id, t.parent_id, t.module_id);
        },
        [&] {
            GpuActivities& t = state.gpu;
            settle(t.slice, t.correlation, t.external_id, t.device, t.stream, t.config, t.bytes,
                   t.graph_node);
        },
        [&] {
            RuntimeCalls& t = state.runtime;
            settle(t.slice, t.correlation, t.external_id);
        },
        [&] {
            Collectives& t = state.collectives;
            settle(t.slice, t.name, t.dtype, t.group_name, t.group_ranks, t.in_elements,
                   t.out_elements, t.group_size);
        },
        [&] {
            Synchronisations& t = state.syncs;
            settle(t.slice, t.kind, t.correlation, t.stream, t.wait_on_stream,
                   t.wait_on_event_correlation, t.wait_on_event);
        },
    };
    parallel_for(workers, jobs.size(), [&](std::size_t i) { jobs[i](); });
    trace.operators = std::move(state.operators);
    trace.python_frames = std::move(state.python);
    trace.gpu_activities = std::move(state.gpu);
    trace.runtime_calls = std::move(state.runtime);
    trace.collectives = std::move(state.collectives);
    trace.synchronisations = std::move(state.syncs);
    trace.launch_configs = std::move(state.launch_configs);
    for (std::size_t i = 0; i < state.memory.lane.size(); ++i)
        state.memory.lane[i] = final_lane[state.memory.lane[i]];
    trace.memory_events = std::move(state.memory);
}

}  // namespace lanescope
