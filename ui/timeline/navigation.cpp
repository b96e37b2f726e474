#include "ui/timeline/navigation.h"

#include <algorithm>
#include <tuple>

#include "core/trace/query.h"

namespace lanescope {

namespace {

struct Candidate {
    Nanos start = 0;
    uint32_t depth = 0;
    SliceRef slice;
};

// The first slice of a row that begins at `t` or later, over the lane's chunks.
SliceRef first_from(const Lane& lane, LaneId id, uint32_t depth, Nanos t) {
    for (const auto& chunk : lane.chunks) {
        if (depth >= chunk->rows.size()) continue;
        const DepthRow& row = chunk->rows[depth];
        const Nanos* const begin = chunk->start.begin() + row.begin;
        const Nanos* const end = chunk->start.begin() + row.end;
        const Nanos* const found = std::lower_bound(begin, end, t);
        if (found != end)
            return {id, chunk->first + static_cast<uint32_t>(found - chunk->start.begin())};
    }
    return {};
}

// The last slice of a row that begins before `t`.
SliceRef last_before(const Lane& lane, LaneId id, uint32_t depth, Nanos t) {
    for (auto at = lane.chunks.rbegin(); at != lane.chunks.rend(); ++at) {
        const Chunk& chunk = **at;
        if (depth >= chunk.rows.size()) continue;
        const DepthRow& row = chunk.rows[depth];
        const Nanos* const begin = chunk.start.begin() + row.begin;
        const Nanos* const found = std::lower_bound(begin, chunk.start.begin() + row.end, t);
        if (found != begin)
            return {id, chunk.first + static_cast<uint32_t>(found - 1 - chunk.start.begin())};
    }
    return {};
}

template <typename Closer>
void consider(const Trace& trace, SliceRef slice, uint32_t depth, Candidate& best, Closer closer) {
    if (!slice) return;
    const Candidate candidate{trace.start(slice), depth, slice};
    if (!best.slice ||
        closer(std::tie(candidate.start, candidate.depth), std::tie(best.start, best.depth))) {
        best = candidate;
    }
}

}  // namespace

SliceRef next_in_lane(const Trace& trace, SliceRef slice) {
    const Lane& lane = trace.lanes[slice.lane];
    const Nanos start = trace.start(slice);
    const uint32_t depth = depth_of(trace, slice);
    Candidate best;
    for (uint32_t d = 0; d < lane.depth_count; ++d) {
        // At the same start, deeper rows come after this one and outer rows before it.
        const Nanos from = d > depth ? start : start + 1;
        const SliceRef found =
            d == depth ? next_in_row(trace, slice) : first_from(lane, slice.lane, d, from);
        consider(trace, found, d, best, [](auto a, auto b) { return a < b; });
    }
    return best.slice;
}

SliceRef previous_in_lane(const Trace& trace, SliceRef slice) {
    const Lane& lane = trace.lanes[slice.lane];
    const Nanos start = trace.start(slice);
    const uint32_t depth = depth_of(trace, slice);
    Candidate best;
    for (uint32_t d = 0; d < lane.depth_count; ++d) {
        const Nanos before = d < depth ? start + 1 : start;
        const SliceRef found =
            d == depth ? previous_in_row(trace, slice) : last_before(lane, slice.lane, d, before);
        consider(trace, found, d, best, [](auto a, auto b) { return a > b; });
    }
    return best.slice;
}

SliceRef flow_target(const Trace& trace, SliceRef slice) {
    const auto links = links_from(trace, slice);
    return links.empty() ? SliceRef{} : links.front().to;
}

SliceRef flow_source(const Trace& trace, SliceRef slice) {
    const auto links = links_to(trace, slice);
    return links.empty() ? SliceRef{} : trace.links[links.front()].from;
}

std::vector<SliceRef> origin_chain(const Trace& trace, SliceRef slice) {
    // What encloses an activity on its stream are copies of annotations; where it comes from, its
    // launch knows.
    SliceRef from = parent_of(trace, slice);
    for (const uint32_t index : links_to(trace, slice)) {
        if (trace.links[index].kind != LinkKind::launch) continue;
        from = trace.links[index].from;
        break;
    }
    std::vector<SliceRef> chain;
    for (SliceRef at = from; at; at = parent_of(trace, at)) chain.push_back(at);
    std::reverse(chain.begin(), chain.end());
    return chain;
}

}  // namespace lanescope
