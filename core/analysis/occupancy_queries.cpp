#include "core/analysis/occupancy_queries.h"

#include <utility>

#include "core/analysis/lane_view.h"

namespace lanescope {

namespace {

std::vector<uint8_t> query_names(const Trace& trace, bool& any) {
    std::vector<uint8_t> is_query(trace.strings.size());
    for (StringId id = 0; id < trace.strings.size(); ++id) {
        const std::string_view name = trace.strings[id];
        const bool is = name.size() < 80 && (name.starts_with("cu") || name.starts_with("hip")) &&
                        name.find("OccupancyMax") != std::string_view::npos;
        is_query[id] = is ? 1 : 0;
        any = any || is;
    }
    return is_query;
}

}  // namespace

std::vector<uint8_t> planned_by_query(const TraceContext& context) {
    const Trace& trace = context.trace();
    std::vector<uint8_t> planned(trace.gpu_activities.slice.size());
    bool any = false;
    const std::vector<uint8_t> is_query = query_names(trace, any);
    if (!any) return planned;
    const Attribution& attribution = context.attribution();
    const std::span<const CallTree> trees = context.call_trees();
    SliceRef last;    // call that launched something
    SliceRef before;  // the one before it
    for (const uint32_t row : attribution.by_launch) {
        const SliceRef launch = attribution.launch[row];
        if (launch != last) before = std::exchange(last, launch);
        if (trace.event_class(trace.gpu_activities.slice[row]) == EventClass::memory) continue;
        const auto& parent = trees[launch.lane].parent;
        const LaneView view(trace.lanes[launch.lane]);
        // Calls of one caller follow each other by index.
        for (uint32_t i = launch.index; i > 0 && parent[i - 1] == parent[launch.index]; --i) {
            planned[row] = is_query[view.name(i - 1)];
            if (planned[row] || before == SliceRef{launch.lane, i - 1}) break;
        }
    }
    return planned;
}

}  // namespace lanescope
