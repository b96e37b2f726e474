#include "core/trace/trace.h"

#include <algorithm>

namespace lanescope {

uint32_t Chunk::depth(uint32_t i) const {
    const auto row =
        std::upper_bound(rows.begin(), rows.end(), i,
                         [](uint32_t index, const DepthRow& r) { return index < r.end; });
    return static_cast<uint32_t>(row - rows.begin());
}

std::pair<const Chunk*, uint32_t> Lane::locate_chunk(uint32_t index) const {
    auto chunk = std::upper_bound(
        chunks.begin(), chunks.end(), index,
        [](uint32_t i, const std::shared_ptr<const Chunk>& c) { return i < c->first; });
    --chunk;
    return {chunk->get(), index - (*chunk)->first};
}

uint64_t Trace::slice_count() const {
    uint64_t count = 0;
    for (const Lane& lane : lanes) count += lane.slice_count;
    return count;
}

uint32_t find_row(std::span<const SliceRef> slices, SliceRef slice) {
    const auto found = std::lower_bound(slices.begin(), slices.end(), slice);
    return found != slices.end() && *found == slice ? static_cast<uint32_t>(found - slices.begin())
                                                    : kNoRow;
}

std::string_view lane_kind_name(LaneKind kind) {
    switch (kind) {
        case LaneKind::thread:
            return "thread";
        case LaneKind::stream:
            return "stream";
        case LaneKind::async:
            return "async";
        case LaneKind::counter:
            return "counter";
        case LaneKind::samples:
            return "samples";
        case LaneKind::replay:
            return "replay";
    }
    return "";
}

}  // namespace lanescope
