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

// The first slice of a row that begins at or after `t`, over the lane's chunks.
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

// Adds what the slice and its descendants launched, and the calls in between; false if there is
// nothing, or if there are too many calls for a frame.
bool add_launched(const Trace& trace, SliceRef slice, std::vector<SliceRef>& chain) {
    constexpr std::size_t max_calls = 400;
    struct Call {
        SliceRef slice;
        std::size_t parent;
        bool lit;
    };
    std::vector<Call> calls = {{slice, 0, true}};
    bool any = false;
    for (std::size_t i = 0; i < calls.size(); ++i) {
        const SliceRef call = calls[i].slice;
        for (const Link& link : links_from(trace, call)) {
            if (link.kind != LinkKind::launch) continue;
            any = true;
            chain.push_back(link.to);
            for (std::size_t up = i; !calls[up].lit; up = calls[up].parent) {
                calls[up].lit = true;
                chain.push_back(calls[up].slice);
            }
        }
        const Nanos end = trace.slice_end(call);
        for (SliceRef child = first_child_of(trace, call); child && trace.start(child) < end;
             child = next_in_row(trace, child)) {
            if (calls.size() > max_calls) return false;
            calls.push_back({child, i, false});
        }
    }
    return any;
}

}  // namespace

SliceRef next_in_lane(const Trace& trace, SliceRef slice) {
    const Lane& lane = trace.lanes[slice.lane];
    const Nanos start = trace.start(slice);
    const uint32_t depth = depth_of(trace, slice);
    Candidate best;
    for (uint32_t d = 0; d < lane.depth_count; ++d) {
        // With equal starts, deeper rows come after this one and outer rows before it.
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
    // On a stream, an activity's parents are copies of annotations; its launch shows where it comes
    // from.
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

std::vector<SliceRef> chain_of(const Trace& trace, SliceRef slice) {
    if (!slice) return {};
    std::vector<SliceRef> chain = origin_chain(trace, slice);
    chain.push_back(slice);
    const bool on_device = std::ranges::any_of(links_to(trace, slice), [&](uint32_t index) {
        return trace.links[index].kind == LinkKind::launch;
    });
    if (on_device) return chain;
    if (trace.lanes[slice.lane].kind != LaneKind::thread) return {};
    return add_launched(trace, slice, chain) ? chain : std::vector<SliceRef>();
}

}  // namespace lanescope
