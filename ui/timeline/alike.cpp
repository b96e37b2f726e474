#include "ui/timeline/alike.h"

#include <algorithm>
#include <tuple>

#include "core/analysis/structure/lane_view.h"
#include "core/analysis/structure/steps.h"

namespace lanescope {

namespace {

auto by_time(const Trace& trace) {
    return [&trace](SliceRef a, SliceRef b) {
        return std::tuple(trace.start(a), a) < std::tuple(trace.start(b), b);
    };
}

}  // namespace

std::size_t Alike::place(const Trace& trace, SliceRef slice) const {
    if (!slice) return nowhere;
    const auto found = std::ranges::lower_bound(slices, slice, by_time(trace));
    return found != slices.end() && *found == slice
               ? static_cast<std::size_t>(found - slices.begin())
               : nowhere;
}

Alike find_alike(const Trace& trace, const TableQuery& query, SliceRef slice) {
    Alike alike;
    alike.kind = sibling_kind(trace, slice);
    const bool steps = alike.kind.name == StringPool::none;
    alike.name = steps ? "ProfilerStep*" : std::string(trace.strings[alike.kind.name]);
    alike.starts.resize(trace.lanes.size());
    for (LaneId id = 0; id < trace.lanes.size(); ++id) {
        const LaneView lane(trace.lanes[id]);
        for (uint32_t i = 0; i < lane.size(); ++i) {
            if (lane.category(i) != alike.kind.category) continue;
            const StringId name = lane.name(i);
            if (steps ? profiler_step_index(trace.strings[name]) < 0 : name != alike.kind.name)
                continue;
            if (query.range && !query.range->contains(lane.start(i))) continue;
            alike.slices.push_back({id, i});
            alike.starts[id].push_back(lane.start(i));
            alike.total += lane.duration(i);
        }
        std::ranges::sort(alike.starts[id]);
    }
    std::ranges::sort(alike.slices, by_time(trace));
    return alike;
}

SliceRef step_alike(const Trace& trace, const Alike& alike, SliceRef from, bool forward) {
    if (alike.slices.empty()) return {};
    if (!from) return forward ? alike.slices.front() : alike.slices.back();
    const auto& all = alike.slices;
    if (forward) {
        const auto next = std::ranges::upper_bound(all, from, by_time(trace));
        return next == all.end() ? all.front() : *next;
    }
    const auto at = std::ranges::lower_bound(all, from, by_time(trace));
    return at == all.begin() ? all.back() : *(at - 1);
}

}  // namespace lanescope
