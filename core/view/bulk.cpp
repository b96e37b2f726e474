#include "core/view/bulk.h"

#include <algorithm>
#include <vector>

namespace lanescope {

namespace {

constexpr std::size_t kLooks = 50'000;
constexpr std::size_t kMinSlices = 200;  // fewer slices do not determine the range
constexpr std::size_t kFarOff = 100;     // one slice in this many is left out at either end
constexpr Nanos kMinPart = 400;          // fraction of the content: 4 pixels of 1,600

Nanos nth(std::vector<Nanos>& times, std::size_t n) {
    const auto at = times.begin() + static_cast<std::ptrdiff_t>(n);
    std::ranges::nth_element(times, at);
    return *at;
}

}  // namespace

TimeRange bulk_of(const Trace& trace) {
    std::size_t slices = 0;
    for (const Lane& lane : trace.lanes) slices += lane.slice_count;
    if (slices < kMinSlices) return trace.content;
    const std::size_t every = (slices + kLooks - 1) / kLooks;
    std::vector<Nanos> starts;
    std::vector<Nanos> ends;
    std::size_t next = 0;  // counted over all lanes, so that short lanes are sampled too
    std::size_t before = 0;
    for (LaneId lane = 0; lane < trace.lanes.size(); ++lane) {
        const std::size_t count = trace.lanes[lane].slice_count;
        for (; next < before + count; next += every) {
            const SliceRef slice{lane, static_cast<uint32_t>(next - before)};
            starts.push_back(trace.start(slice));
            ends.push_back(trace.slice_end(slice));
        }
        before += count;
    }
    const std::size_t far_off = starts.size() / kFarOff;
    const TimeRange bulk{nth(starts, far_off), nth(ends, ends.size() - 1 - far_off)};
    return bulk.length() < trace.content.length() / kMinPart ? bulk : trace.content;
}

}  // namespace lanescope
