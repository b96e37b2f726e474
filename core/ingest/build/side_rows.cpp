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

// Sorts a column by `order`. If the column is shorter than `rows`, it is first filled with `none`.
template <typename T>
void permute(Column<T>& column, const Column<uint32_t>& order, std::size_t rows, T none) {
    if (column.empty()) return;
    while (column.size() < rows) column.push_back(none);
    reorder(column, order);
}

// The tables that link launches are sorted before the others.
template <typename Table>
inline constexpr bool kLinksLaunches =
    std::is_same_v<Table, GpuActivities> || std::is_same_v<Table, RuntimeCalls>;

// Calls visit(table) for each table of facts about slices that is, or is not, needed for links.
template <bool kLinking, typename Visit>
void for_each_slice_table(SideTables& tables, const Visit& visit) {
    for_each_table(
        [&]<typename Table>(Table& table) {
            if constexpr (requires { table.slice; } && kLinksLaunches<Table> == kLinking)
                visit(table);
        },
        tables);
}

}  // namespace

void give_back_slack(BuilderState& state) {
    const auto give_back = [](auto&... columns) {
        const auto one = [](auto& column) {
            if (column.bytes() >= kWorthGivingBack) column.shrink_to_fit();
        };
        (one(columns), ...);
    };
    for (LaneBuild& lane : state.lanes) {
        RawSlices& raw = lane.slices;
        give_back(raw.start, raw.duration, raw.name, raw.category, raw.source);
        Instants& instants = lane.instants;
        give_back(instants.time, instants.name, instants.category, instants.source);
    }
    for_each_table(
        [&](auto& table) {
            if constexpr (requires { table.slice; })
                give_back(table.slice);
            else
                give_back(table.time, table.lane);
            for_each_fact([&](auto, auto& column) { give_back(column); }, table);
        },
        state.tables);
    give_back(state.flows);
}

void sort_by_time(MemoryEvents& memory) {
    const Column<uint32_t> order = time_order(memory.time);
    if (order.empty()) return;
    reorder(memory.time, order);
    reorder(memory.lane, order);
    for_each_fact([&](auto, auto& column) { reorder(column, order); }, memory);
}

SideTableSorter::SideTableSorter(BuilderState& state, const std::vector<LaneId>& final_lane)
    : state_(state), final_lane_(final_lane) {}

void SideTableSorter::find_orders(const std::vector<Column<uint32_t>>& place, WorkList& work) {
    const auto sorter = std::make_shared<const RowSorter>(final_lane_, place);
    const auto find_order = [&](auto& table) {
        Column<uint32_t>& order = orders_.emplace_back();
        work.add(table.rows() * 4,
                 [sorter, &order, &table] { order = sorter->order(table.slice); });
    };
    for_each_slice_table<true>(state_.tables, find_order);
    for_each_slice_table<false>(state_.tables, find_order);
}

void SideTableSorter::sort_launch_tables(WorkList& work) {
    for_each_slice_table<true>(state_.tables, [&](auto& table) { sort_table(work, table); });
}

void SideTableSorter::link_and_sort_others(Trace& trace, WorkList& work) {
    trace.gpu_activities = std::move(state_.tables.gpu_activities);
    trace.runtime_calls = std::move(state_.tables.runtime_calls);
    const std::size_t many =
        trace.gpu_activities.rows() + trace.runtime_calls.rows() + state_.flows.size();
    work.add(many * 8, [this, &trace] { link_slices(state_, final_lane_, trace); });
    for_each_slice_table<false>(state_.tables, [&](auto& table) { sort_table(work, table); });
}

template <typename Table>
void SideTableSorter::sort_table(WorkList& work, Table& table) {
    const auto order = std::make_shared<const Column<uint32_t>>(std::move(orders_.front()));
    orders_.pop_front();
    const auto add = [&](auto& column, auto none) {
        work.add(order->size(),
                 [order, &column, none] { permute(column, *order, order->size(), none); });
    };
    add(table.slice, SliceRef());
    for_each_fact([&](auto kind, auto& column) { add(column, kind.none); }, table);
}

void SideTableSorter::give_to(Trace& trace) {
    MemoryEvents& memory = state_.tables.memory_events;
    for (LaneId& lane : std::span(memory.lane.data(), memory.lane.size())) lane = final_lane_[lane];
    for_each_table(
        []<typename Table>(Table& to, Table& from) {
            if constexpr (!kLinksLaunches<Table>) to = std::move(from);
        },
        trace, state_.tables);
    trace.launch_configs = std::move(state_.launch_configs);
}

namespace {

// The tables of a growing trace: those that links, queues and curves of memory need.
template <typename Table>
inline constexpr bool kIsLive = kLinksLaunches<Table> || std::is_same_v<Table, Synchronisations> ||
                                std::is_same_v<Table, MemoryEvents>;

template <typename Table>
Table clone(const Table& table) {
    Table copy;
    if constexpr (requires { table.slice; }) {
        copy.slice = table.slice.clone();
    } else {
        copy.time = table.time.clone();
        copy.lane = table.lane.clone();
    }
    for_each_fact([](auto, auto& to, const auto& from) { to = from.clone(); }, copy, table);
    return copy;
}

// Leaves the rows whose slice has a final slice, sorted by it.
template <typename Table>
void keep_final(Table& table, const std::function<SliceRef(SliceRef)>& final_slice) {
    const std::size_t rows = table.rows();
    Column<uint32_t> order;
    for (uint32_t i = 0; i < rows; ++i) {
        table.slice[i] = final_slice(table.slice[i]);
        if (table.slice[i]) order.push_back(i);
    }
    std::sort(order.data(), order.data() + order.size(),
              [&](uint32_t a, uint32_t b) { return table.slice[a] < table.slice[b]; });
    permute(table.slice, order, rows, SliceRef());
    for_each_fact([&](auto kind, auto& column) { permute(column, order, rows, kind.none); }, table);
}

}  // namespace

void copy_side_tables(const BuilderState& state, const std::vector<LaneId>& final_lane,
                      const std::function<SliceRef(SliceRef)>& final_slice, Trace& trace) {
    for_each_table(
        [&]<typename Table>(Table& to, const Table& from) {
            if constexpr (kIsLive<Table>) {
                to = clone(from);
                if constexpr (requires { to.slice; }) keep_final(to, final_slice);
            }
        },
        trace, state.tables);
    trace.launch_configs = state.launch_configs;
    MemoryEvents& memory = trace.memory_events;
    for (LaneId& lane : std::span(memory.lane.data(), memory.lane.size())) lane = final_lane[lane];
    sort_by_time(memory);
    BuilderState links;  // a live trace has no flows
    links.categories = state.categories;
    link_slices(links, final_lane, trace);
}

void share_side_tables(const std::shared_ptr<const Trace>& owner, Trace& trace) {
    for_each_table(
        [&]<typename Table>(Table& to, const Table& from) {
            if constexpr (requires { to.slice; }) {
                to.slice = from.slice.shared(owner);
            } else {
                to.time = from.time.shared(owner);
                to.lane = from.lane.shared(owner);
            }
            for_each_fact(
                [&](auto, auto& column, const auto& whole) { column = whole.shared(owner); }, to,
                from);
        },
        trace, *owner);
}

}  // namespace lanescope
