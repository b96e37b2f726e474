#include "core/analysis/gpu/occupancy_queries.h"

#include <algorithm>
#include <utility>

#include "core/analysis/structure/attribution.h"
#include "core/analysis/structure/call_tree.h"
#include "core/analysis/structure/lane_view.h"

namespace lanescope {

namespace {

enum class CallKind : uint8_t { other, query, launch, graph_launch };

CallKind kind_of(std::string_view name) {
    const bool runtime = name.starts_with("cu") || name.starts_with("hip");
    if (!runtime || name.size() >= 80) return CallKind::other;
    const auto has = [&](std::string_view word) { return name.find(word) != name.npos; };
    if (has("OccupancyMax")) return CallKind::query;
    if (!has("Launch") || has("HostFunc")) return CallKind::other;
    return has("Graph") ? CallKind::graph_launch : CallKind::launch;
}

class Planned {
  public:
    explicit Planned(const TraceContext& context)
        : trace_(context.trace()), trees_(context.get<CallTrees>().by_lane) {
        kinds_.reserve(trace_.strings.size());
        for (StringId id = 0; id < trace_.strings.size(); ++id)
            kinds_.push_back(kind_of(trace_.strings[id]));
    }

    bool any_query() const { return std::ranges::find(kinds_, CallKind::query) != kinds_.end(); }

    // Whether the same caller made a query between the launch and the one before it. Copies and
    // sets in between belong to the kernel: cuBLAS clears the workspace for partial sums. `before`:
    // the last call that launched a kernel, under any name.
    bool operator()(SliceRef launch, SliceRef before) const {
        const LaneView view(trace_.lanes[launch.lane]);
        const auto& parent = trees_[launch.lane].parent;
        uint32_t call = launch.index;
        if (kinds_[view.name(call)] == CallKind::graph_launch) return false;
        // The runtime's call may enclose the driver's.
        while (parent[call] != CallTree::none &&
               kinds_[view.name(parent[call])] == CallKind::launch)
            call = parent[call];
        // Calls of one caller have consecutive indices.
        for (uint32_t i = call; i > 0 && parent[i - 1] == parent[call]; --i) {
            const CallKind kind = kinds_[view.name(i - 1)];
            if (kind != CallKind::other) return kind == CallKind::query;
            if (before == SliceRef{launch.lane, i - 1}) break;
        }
        return false;
    }

  private:
    const Trace& trace_;
    std::span<const CallTree> trees_;
    std::vector<CallKind> kinds_;  // by StringId
};

}  // namespace

std::vector<uint8_t> planned_by_query(const TraceContext& context) {
    const Trace& trace = context.trace();
    std::vector<uint8_t> planned(trace.gpu_activities.slice.size());
    const Planned is_planned(context);
    if (!is_planned.any_query()) return planned;
    const Attribution& attribution = context.get<Attribution>();
    SliceRef last;    // the last call that launched a kernel
    SliceRef before;  // the one before it
    for (const uint32_t row : attribution.by_launch) {
        if (trace.event_class(trace.gpu_activities.slice[row]) == EventClass::memory) continue;
        const SliceRef launch = attribution.launch[row];
        if (launch != last) before = std::exchange(last, launch);
        planned[row] = is_planned(launch, before) ? 1 : 0;
    }
    return planned;
}

PlannedByQuery PlannedByQuery::compute(const TraceContext& context) {
    return {planned_by_query(context)};
}

}  // namespace lanescope
