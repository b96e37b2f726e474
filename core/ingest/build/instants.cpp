#include "core/ingest/build/finish_trace.h"
#include "core/trace/nesting.h"

namespace lanescope {

namespace {

void sort_by_time(Instants& instants) {
    const Column<uint32_t> order = time_order(instants.time);
    if (order.empty()) return;
    reorder(instants.time, order);
    reorder(instants.name, order);
    reorder(instants.category, order);
    reorder(instants.source, order);
}

}  // namespace

void fill_instants(BuilderState& state, const std::vector<LaneId>& final_lane, Trace& trace,
                   WorkList& work) {
    for (std::size_t i = 0; i < state.lanes.size(); ++i) {
        if (state.lanes[i].instants.time.empty()) continue;
        auto instants = std::make_shared<Instants>(std::move(state.lanes[i].instants));
        trace.lanes[final_lane[i]].instants = instants;
        work.add(instants->time.size() * 4, [instants] { sort_by_time(*instants); });
    }
}

}  // namespace lanescope
