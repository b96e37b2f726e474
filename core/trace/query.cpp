#include "core/trace/query.h"

#include <algorithm>

namespace lanescope {

namespace {

struct Place {
    const Chunk* chunk = nullptr;
    uint32_t index = 0;  // in the chunk

    SliceRef ref(LaneId lane) const {
        return chunk ? SliceRef{lane, chunk->first + index} : SliceRef{};
    }
};

const DepthRow* row_of(const Chunk& chunk, uint32_t depth) {
    return depth < chunk.rows.size() && chunk.rows[depth].size() > 0 ? &chunk.rows[depth] : nullptr;
}

// The last slice of `depth` that starts at or before `t`. Chunks follow each other in time within
// each row, so it is in the last chunk that has a match.
Place last_started(const Lane& lane, uint32_t depth, Nanos t) {
    for (auto chunk = lane.chunks.rbegin(); chunk != lane.chunks.rend(); ++chunk) {
        const DepthRow* row = row_of(**chunk, depth);
        if (!row || (*chunk)->start[row->begin] > t) continue;
        const Nanos* begin = (*chunk)->start.begin();
        const Nanos* after = std::upper_bound(begin + row->begin, begin + row->end, t);
        return {chunk->get(), static_cast<uint32_t>(after - begin) - 1};
    }
    return {};
}

// The first slice of `depth` that starts at or after `t`.
Place first_starting(const Lane& lane, uint32_t depth, Nanos t) {
    for (const auto& chunk : lane.chunks) {
        const DepthRow* row = row_of(*chunk, depth);
        if (!row || chunk->start[row->end - 1] < t) continue;
        const Nanos* begin = chunk->start.begin();
        const Nanos* found = std::lower_bound(begin + row->begin, begin + row->end, t);
        return {chunk.get(), static_cast<uint32_t>(found - begin)};
    }
    return {};
}

// A slice of zero length covers the nanosecond at which it starts.
bool covers(const Chunk& chunk, uint32_t index, Nanos t) {
    return chunk.start[index] <= t &&
           t < chunk.start[index] + std::max<Nanos>(chunk.duration[index], 1);
}

}  // namespace

SliceRef slice_at(const Trace& trace, LaneId lane, uint32_t depth, Nanos t) {
    const Place place = last_started(trace.lanes[lane], depth, t);
    return place.chunk && covers(*place.chunk, place.index, t) ? place.ref(lane) : SliceRef{};
}

uint32_t depth_of(const Trace& trace, SliceRef slice) {
    const auto [chunk, index] = trace.lanes[slice.lane].locate(slice.index);
    return chunk->depth(index);
}

SliceRef parent_of(const Trace& trace, SliceRef slice) {
    const auto [chunk, index] = trace.lanes[slice.lane].locate(slice.index);
    const uint32_t depth = chunk->depth(index);
    return depth == 0 ? SliceRef{} : slice_at(trace, slice.lane, depth - 1, chunk->start[index]);
}

SliceRef first_child_of(const Trace& trace, SliceRef slice) {
    const auto [chunk, index] = trace.lanes[slice.lane].locate(slice.index);
    const Place child =
        first_starting(trace.lanes[slice.lane], chunk->depth(index) + 1, chunk->start[index]);
    if (!child.chunk) return {};
    const SliceRef found = child.ref(slice.lane);
    return parent_of(trace, found) == slice ? found : SliceRef{};
}

SliceRef next_in_row(const Trace& trace, SliceRef slice) {
    const Lane& lane = trace.lanes[slice.lane];
    const auto [chunk, index] = lane.locate(slice.index);
    const uint32_t depth = chunk->depth(index);
    if (index + 1 < chunk->rows[depth].end) return {slice.lane, slice.index + 1};
    const Chunk* here = chunk;
    auto next = std::find_if(lane.chunks.begin(), lane.chunks.end(),
                             [&](const auto& c) { return c.get() == here; });
    for (++next; next != lane.chunks.end(); ++next) {
        if (const DepthRow* row = row_of(**next, depth))
            return {slice.lane, (*next)->first + row->begin};
    }
    return {};
}

SliceRef previous_in_row(const Trace& trace, SliceRef slice) {
    const Lane& lane = trace.lanes[slice.lane];
    const auto [chunk, index] = lane.locate(slice.index);
    const uint32_t depth = chunk->depth(index);
    if (index > chunk->rows[depth].begin) return {slice.lane, slice.index - 1};
    const Chunk* here = chunk;
    auto previous = std::find_if(lane.chunks.rbegin(), lane.chunks.rend(),
                                 [&](const auto& c) { return c.get() == here; });
    for (++previous; previous != lane.chunks.rend(); ++previous) {
        if (const DepthRow* row = row_of(**previous, depth))
            return {slice.lane, (*previous)->first + row->end - 1};
    }
    return {};
}

Nanos self_time(const Trace& trace, SliceRef slice) {
    const Lane& lane = trace.lanes[slice.lane];
    const auto [chunk, index] = lane.locate(slice.index);
    const Nanos start = chunk->start[index];
    const Nanos stop = chunk->end(index);
    const uint32_t depth = chunk->depth(index) + 1;
    Nanos self = stop - start;
    for (const auto& c : lane.chunks) {
        const DepthRow* row = row_of(*c, depth);
        if (!row || c->start[row->end - 1] < start) continue;
        if (c->start[row->begin] >= stop) break;
        const Nanos* begin = c->start.begin();
        const Nanos* first = std::lower_bound(begin + row->begin, begin + row->end, start);
        for (auto i = static_cast<uint32_t>(first - begin); i < row->end && c->start[i] < stop; ++i)
            self -= std::min(c->end(i), stop) - c->start[i];
    }
    return self;
}

std::span<const Link> links_from(const Trace& trace, SliceRef slice) {
    const auto from = [](const Link& link) { return link.from; };
    const auto begin = std::ranges::lower_bound(trace.links, slice, {}, from);
    return {begin, std::ranges::upper_bound(begin, trace.links.end(), slice, {}, from)};
}

std::span<const uint32_t> links_to(const Trace& trace, SliceRef slice) {
    const auto to = [&](uint32_t link) { return trace.links[link].to; };
    const auto begin = std::ranges::lower_bound(trace.links_by_target, slice, {}, to);
    return {begin, std::ranges::upper_bound(begin, trace.links_by_target.end(), slice, {}, to)};
}

}  // namespace lanescope
