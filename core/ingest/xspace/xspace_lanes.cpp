#include "core/ingest/xspace/xspace_lanes.h"

#include <algorithm>
#include <numeric>

namespace lanescope {

namespace {

constexpr std::size_t kMostFreeLanes = 64;

// Sorts events by start, longer events first.
std::vector<uint32_t> order_of_spans(std::span<const XspaceSpan> events) {
    std::vector<uint32_t> order(events.size());
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::stable_sort(order, [&](uint32_t a, uint32_t b) {
        return events[a].begin != events[b].begin ? events[a].begin < events[b].begin
                                                  : events[a].end > events[b].end;
    });
    return order;
}

}  // namespace

std::vector<XspaceParts> xspace_parts(std::span<const XspaceSpan> events) {
    std::vector<XspaceParts> parts(events.size(), XspaceParts::none);
    struct Open {
        uint32_t event;
        int64_t covered;  // time covered by its direct children
    };
    std::vector<Open> stack;
    const auto close = [&] {
        const XspaceSpan& span = events[stack.back().event];
        if (stack.back().covered >= (span.end - span.begin + 1) / 2 && stack.back().covered > 0)
            parts[stack.back().event] = XspaceParts::most;
        stack.pop_back();
    };
    for (const uint32_t i : order_of_spans(events)) {
        const XspaceSpan& span = events[i];
        if (span.end <= span.begin) continue;
        while (!stack.empty() && events[stack.back().event].end <= span.begin) close();
        if (!stack.empty() && span.end <= events[stack.back().event].end) {
            parts[stack.back().event] = XspaceParts::few;
            stack.back().covered += span.end - span.begin;
        }
        stack.push_back({i, 0});
    }
    while (!stack.empty()) close();
    return parts;
}

std::vector<uint8_t> xspace_free_lanes(std::span<const XspaceSpan> events) {
    std::vector<uint8_t> lanes(events.size());
    std::vector<int64_t> busy_until;
    for (const uint32_t i : order_of_spans(events)) {
        const auto free = std::ranges::find_if(
            busy_until, [&](int64_t until) { return until <= events[i].begin; });
        auto lane = static_cast<std::size_t>(free - busy_until.begin());
        if (lane == busy_until.size() && lane < kMostFreeLanes) busy_until.push_back(INT64_MIN);
        lane = std::min(lane, kMostFreeLanes - 1);
        busy_until[lane] = std::max(busy_until[lane], events[i].end);
        lanes[i] = static_cast<uint8_t>(lane);
    }
    return lanes;
}

}  // namespace lanescope
