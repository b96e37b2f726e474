#include "core/trace/same_slice.h"

#include <algorithm>

namespace lanescope {

namespace {

bool is_same_lane(const Trace& a, LaneId lane_of_a, const Trace& b, LaneId lane_of_b) {
    const Lane& x = a.lanes[lane_of_a];
    const Lane& y = b.lanes[lane_of_b];
    return x.kind == y.kind && x.derived == y.derived && x.samples_python == y.samples_python &&
           a.strings[x.tid] == b.strings[y.tid] && a.strings[x.name] == b.strings[y.name] &&
           a.strings[a.processes[x.process].pid] == b.strings[b.processes[y.process].pid];
}

// Searches one row of a chunk among the slices that begin in `when`; returns the index in the
// chunk.
std::optional<uint32_t> find_source(const Chunk& chunk, const DepthRow& row, TimeRange when,
                                    uint64_t source) {
    const Nanos* const start = chunk.start.data();
    const Nanos* at = std::lower_bound(start + row.begin, start + row.end, when.begin);
    for (; at != start + row.end && *at <= when.end; ++at) {
        const auto index = static_cast<uint32_t>(at - start);
        if (chunk.source[index] == source) return index;
    }
    return std::nullopt;
}

}  // namespace

std::optional<LaneId> same_lane(const Trace& from, LaneId lane, const Trace& to) {
    if (lane < to.lanes.size() && is_same_lane(from, lane, to, lane)) return lane;
    for (LaneId other = 0; other < to.lanes.size(); ++other)
        if (is_same_lane(from, lane, to, other)) return other;
    return std::nullopt;
}

SliceRef same_slice(const Trace& from, SliceRef slice, const Trace& to, Nanos tolerance) {
    if (!slice) return {};
    const std::optional<LaneId> lane = same_lane(from, slice.lane, to);
    if (!lane) return {};
    const auto [old, i] = from.lanes[slice.lane].locate(slice.index);
    const TimeRange when{old->start[i] - tolerance, old->start[i] + tolerance};
    for (const auto& chunk : to.lanes[*lane].chunks)
        for (const DepthRow& row : chunk->rows)
            if (const auto found = find_source(*chunk, row, when, old->source[i]))
                return {*lane, chunk->first + *found};
    return {};
}

}  // namespace lanescope
