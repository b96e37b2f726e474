// Steps from match to match without sorting: each row is already sorted by time, so the next match
// overall is the earliest of the rows' next matches.
#include "core/search/matches.h"

#include <algorithm>
#include <bit>
#include <tuple>

#include "core/analysis/structure/slice_query.h"

namespace lanescope {

namespace {

// A position in the order of slices.
struct SlicePlace {
    Nanos start = 0;
    LaneId lane = 0;
    uint32_t index = 0;
    friend auto operator<=>(const SlicePlace&, const SlicePlace&) = default;
};

constexpr uint32_t kNone = SliceRef::no_index;

// Calls visit(lane, chunk, row, matches) for each row with matches.
template <typename Visit>
void each_row(const Matches& matches, const Visit& visit) {
    for (LaneId id = 0; id < matches.lanes.size(); ++id) {
        const LaneMatches& lane = matches.lanes[id];
        if (lane.count == 0) continue;
        for (const auto& chunk : matches.trace->lanes[id].chunks) {
            if (lane.count_in(chunk->first, chunk->first + chunk->size()) == 0) continue;
            for (const DepthRow& row : chunk->rows)
                if (lane.count_in(chunk->first + row.begin, chunk->first + row.end) > 0)
                    visit(id, *chunk, row, lane);
        }
    }
}

// The index in the lane of the row's first slice at or after `place`.
uint32_t lower_bound(LaneId lane, const Chunk& chunk, const DepthRow& row,
                     const SlicePlace& place) {
    const Nanos* const begin = chunk.start.data() + row.begin;
    const Nanos* const end = chunk.start.data() + row.end;
    const auto index_of = [&](const Nanos* at) {
        return chunk.first + static_cast<uint32_t>(at - chunk.start.data());
    };
    const uint32_t first = index_of(std::lower_bound(begin, end, place.start));
    if (lane > place.lane) return first;
    const uint32_t last = index_of(std::upper_bound(begin, end, place.start));
    return lane < place.lane ? last : std::clamp(place.index, first, last);
}

SliceRef first_from(const Matches& matches, const SlicePlace& from) {
    std::optional<SlicePlace> best;
    each_row(matches,
             [&](LaneId id, const Chunk& chunk, const DepthRow& row, const LaneMatches& lane) {
                 const uint32_t index = lane.next(lower_bound(id, chunk, row, from));
                 if (index == kNone || index >= chunk.first + row.end) return;
                 const SlicePlace place{chunk.start[index - chunk.first], id, index};
                 if (!best || place < *best) best = place;
             });
    return best ? SliceRef{best->lane, best->index} : SliceRef();
}

SliceRef last_before(const Matches& matches, const SlicePlace& from) {
    std::optional<SlicePlace> best;
    each_row(matches,
             [&](LaneId id, const Chunk& chunk, const DepthRow& row, const LaneMatches& lane) {
                 const uint32_t index = lane.previous(lower_bound(id, chunk, row, from));
                 if (index == kNone || index < chunk.first + row.begin) return;
                 const SlicePlace place{chunk.start[index - chunk.first], id, index};
                 if (!best || place > *best) best = place;
             });
    return best ? SliceRef{best->lane, best->index} : SliceRef();
}

}  // namespace

void LaneMatches::seal() {
    count = 0;
    before.resize(bits.size());
    for (std::size_t word = 0; word < bits.size(); ++word) {
        before[word] = count;
        count += static_cast<uint32_t>(std::popcount(bits[word]));
    }
    if (count > 0) return;
    bits.clear();
    before.clear();
}

uint32_t LaneMatches::before_index(uint32_t index) const {
    const std::size_t word = index / 64;
    if (word >= bits.size()) return count;
    return before[word] +
           static_cast<uint32_t>(std::popcount(bits[word] & ((uint64_t{1} << (index % 64)) - 1)));
}

uint32_t LaneMatches::count_in(uint32_t begin, uint32_t end) const {
    return count == 0 || begin >= end ? 0 : before_index(end) - before_index(begin);
}

uint32_t LaneMatches::next(uint32_t index) const {
    std::size_t word = index / 64;
    if (word >= bits.size()) return kNone;
    uint64_t left = bits[word] & (~uint64_t{0} << (index % 64));
    while (left == 0) {
        if (++word == bits.size()) return kNone;
        left = bits[word];
    }
    return static_cast<uint32_t>(word * 64) + static_cast<uint32_t>(std::countr_zero(left));
}

uint32_t LaneMatches::previous(uint32_t index) const {
    if (bits.empty()) return kNone;
    std::size_t word = std::min<std::size_t>(index / 64, bits.size() - 1);
    uint64_t left =
        index / 64 < bits.size() ? bits[word] & ((uint64_t{1} << (index % 64)) - 1) : bits[word];
    while (left == 0) {
        if (word-- == 0) return kNone;
        left = bits[word];
    }
    return static_cast<uint32_t>(word * 64) + 63 - static_cast<uint32_t>(std::countl_zero(left));
}

Matches matches_within(const Matches& matches, const TableQuery& query) {
    Matches result;
    result.trace = matches.trace;
    result.lanes.resize(matches.lanes.size());
    for (LaneId id = 0; id < matches.lanes.size(); ++id) {
        const LaneMatches& lane = matches.lanes[id];
        LaneMatches& left = result.lanes[id];
        if (lane.count == 0) continue;
        left.bits.resize(lane.bits.size());
        for (uint32_t i = lane.next(0); i != kNone; i = lane.next(i + 1))
            if (has_slice(*matches.trace, query, {id, i}, matches.trace->start({id, i})))
                left.bits[i / 64] |= uint64_t{1} << (i % 64);
        left.seal();
        result.count += left.count;
    }
    return result;
}

SliceRef first_match_from(const Matches& matches, Nanos time) {
    return first_from(matches, {time, 0, 0});
}

SliceRef last_match_before(const Matches& matches, Nanos time) {
    return last_before(matches, {time, 0, 0});
}

SliceRef match_after(const Matches& matches, SliceRef slice) {
    return first_from(matches, {matches.trace->start(slice), slice.lane, slice.index + 1});
}

SliceRef match_before(const Matches& matches, SliceRef slice) {
    return last_before(matches, {matches.trace->start(slice), slice.lane, slice.index});
}

uint64_t matches_before(const Matches& matches, SliceRef slice) {
    const SlicePlace place{matches.trace->start(slice), slice.lane, slice.index};
    uint64_t count = 0;
    each_row(
        matches, [&](LaneId id, const Chunk& chunk, const DepthRow& row, const LaneMatches& lane) {
            count += lane.count_in(chunk.first + row.begin, lower_bound(id, chunk, row, place));
        });
    return count;
}

std::vector<SliceRef> matches_by_time(const Matches& matches, std::size_t limit) {
    std::vector<SlicePlace> places;
    places.reserve(matches.count);
    for (LaneId id = 0; id < matches.lanes.size(); ++id) {
        const LaneMatches& lane = matches.lanes[id];
        if (lane.count == 0) continue;
        for (uint32_t i = lane.next(0); i != kNone; i = lane.next(i + 1))
            places.push_back({matches.trace->start({id, i}), id, i});
    }
    if (limit < places.size()) {
        std::ranges::nth_element(places, places.begin() + static_cast<std::ptrdiff_t>(limit));
        places.resize(limit);
    }
    std::ranges::sort(places);
    std::vector<SliceRef> slices;
    slices.reserve(places.size());
    for (const SlicePlace& place : places) slices.push_back({place.lane, place.index});
    return slices;
}

}  // namespace lanescope
