#include "core/insight/findings/edge_gap.h"

#include <algorithm>
#include <limits>

namespace lanescope {

namespace {

constexpr double kOuterShare = 0.01;  // of the device's work, at most, on the outer side of the gap

struct Outside {
    uint64_t activities = 0;
    Nanos busy = 0;
};

Outside outside_of(const DeviceWindow& window, const IdleGap& gap, bool at_begin) {
    Outside outside;
    for (const GpuWork& work : window.work->work) {
        const bool is_before = work.range.begin < gap.range.begin;
        if (is_before != at_begin) continue;
        ++outside.activities;
        outside.busy += work.range.length();
    }
    return outside;
}

// Whether the work behind the gap had been launched before most of the gap.
bool was_launched(const Trace& trace, const IdleGap& gap) {
    return gap.launch && 2 * (gap.range.end - trace.slice_end(gap.launch)) > gap.range.length();
}

}  // namespace

std::optional<EdgeGap> edge_gap(const TraceContext& context, const DeviceWindow& window) {
    if (window.counted.size() > 1 || window.gaps.empty() || window.is_late) return {};
    const IdleGap& gap = *window.gaps.front();
    if (2 * gap.range.length() <= span_of(window.work->work).length()) return {};
    Nanos busy = 0;
    for (const GpuWork& work : window.work->work) busy += work.range.length();
    for (const bool at_begin : {true, false}) {
        const Outside outside = outside_of(window, gap, at_begin);
        if (static_cast<double>(outside.busy) > kOuterShare * static_cast<double>(busy)) continue;
        const bool is_covered =
            2 * covered_length(window.host, gap.range) > gap.range.length() || window.steps == 0;
        if (is_covered && !was_launched(context.trace(), gap)) return {};
        return EdgeGap{gap.range, outside.activities, outside.busy, at_begin, is_covered};
    }
    return {};
}

void leave_out(const EdgeGap& gap, DeviceWindow& window) {
    constexpr Nanos first = std::numeric_limits<Nanos>::min();
    constexpr Nanos last = std::numeric_limits<Nanos>::max();
    const TimeRange span = span_of(window.work->work);
    const TimeRange whole{std::min(window.times.front().begin, span.begin),
                          std::max(window.times.back().end, span.end)};
    window.times = {gap.at_begin ? TimeRange{gap.range.end, whole.end}
                                 : TimeRange{whole.begin, gap.range.begin}};
    window.host = subtract(window.host, {gap.at_begin ? TimeRange{first, gap.range.end}
                                                      : TimeRange{gap.range.begin, last}});
    window.gaps.erase(window.gaps.begin());
    window.edge = gap;
}

}  // namespace lanescope
