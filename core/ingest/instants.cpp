#include <algorithm>
#include <tuple>

#include "core/ingest/finish_trace.h"

namespace lanescope {

void fill_instants(BuilderState& state, const std::vector<LaneId>& final_lane, Trace& trace) {
    Column<InstantEvent>& events = state.instants;
    const auto before = [](const InstantEvent& a, const InstantEvent& b) {
        return std::tie(a.lane, a.time, a.source) < std::tie(b.lane, b.time, b.source);
    };
    if (!std::is_sorted(events.begin(), events.end(), before))
        std::sort(events.data(), events.data() + events.size(), before);
    for (std::size_t first = 0; first < events.size();) {
        std::size_t last = first;
        while (last < events.size() && events[last].lane == events[first].lane) ++last;
        auto instants = std::make_shared<Instants>();
        for (std::size_t i = first; i < last; ++i) {
            instants->time.push_back(events[i].time);
            instants->name.push_back(events[i].name);
            instants->category.push_back(events[i].category);
            instants->source.push_back(events[i].source);
        }
        trace.lanes[final_lane[events[first].lane]].instants = std::move(instants);
        first = last;
    }
    events = {};
}

}  // namespace lanescope
