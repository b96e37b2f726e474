#include <algorithm>

#include "core/base/parallel.h"
#include "core/ingest/finish_trace.h"
#include "core/trace/nesting.h"

namespace lanescope {

namespace {

template <typename T>
void reorder(Column<T>& column, const Column<uint32_t>& order) {
    Column<T> sorted(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) sorted[i] = column[order[i]];
    column = std::move(sorted);
}

void sort_by_time(Instants& instants) {
    Column<Nanos> no_duration(instants.time.size());
    std::fill_n(no_duration.data(), no_duration.size(), Nanos{0});
    const Column<uint32_t> order = time_order(instants.time, no_duration);
    if (order.empty()) return;
    reorder(instants.time, order);
    reorder(instants.name, order);
    reorder(instants.category, order);
    reorder(instants.source, order);
}

}  // namespace

void fill_instants(BuilderState& state, const std::vector<LaneId>& final_lane, Trace& trace,
                   unsigned workers) {
    parallel_for(workers, state.lanes.size(), [&](std::size_t i) {
        if (state.lanes[i].instants.time.empty()) return;
        auto instants = std::make_shared<Instants>(std::move(state.lanes[i].instants));
        sort_by_time(*instants);
        trace.lanes[final_lane[i]].instants = std::move(instants);
    });
}

}  // namespace lanescope
