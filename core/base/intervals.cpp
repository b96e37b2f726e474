#include "core/base/intervals.h"

#include <algorithm>

#include "core/base/radix_sort.h"

namespace lanescope {

void append_merged(Intervals& intervals, TimeRange next) {
    if (next.begin >= next.end) return;
    if (intervals.empty() || intervals.back().end < next.begin)
        intervals.push_back(next);
    else
        intervals.back().end = std::max(intervals.back().end, next.end);
}

void UnionOfRows::end_row() {
    if (!row_.empty()) all_ = unite(all_, row_);
    row_.clear();
    at_ = 0;
}

Intervals merged(std::vector<TimeRange> ranges) {
    radix_sort(ranges, [](TimeRange range) { return radix_key(range.begin); });
    Intervals out;
    for (const TimeRange range : ranges) append_merged(out, range);
    return out;
}

Intervals unite(const Intervals& a, const Intervals& b) {
    Intervals out;
    out.reserve(std::max(a.size(), b.size()));
    std::size_t j = 0;
    for (const TimeRange range : a) {
        while (j < b.size() && b[j].begin <= range.begin) append_merged(out, b[j++]);
        append_merged(out, range);
    }
    while (j < b.size()) append_merged(out, b[j++]);
    return out;
}

Intervals intersect(const Intervals& a, const Intervals& b) {
    Intervals out;
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < a.size() && j < b.size()) {
        const TimeRange both{std::max(a[i].begin, b[j].begin), std::min(a[i].end, b[j].end)};
        if (both.begin < both.end) out.push_back(both);
        if (a[i].end < b[j].end)
            ++i;
        else
            ++j;
    }
    return out;
}

Intervals subtract(const Intervals& a, const Intervals& b) {
    Intervals out;
    std::size_t j = 0;
    for (const TimeRange range : a) {
        Nanos begin = range.begin;
        while (j < b.size() && b[j].end <= begin) ++j;
        for (std::size_t k = j; k < b.size() && b[k].begin < range.end; ++k) {
            if (b[k].begin > begin) out.push_back({begin, b[k].begin});
            begin = std::max(begin, b[k].end);
        }
        if (begin < range.end) out.push_back({begin, range.end});
    }
    return out;
}

Nanos total_length(const Intervals& intervals) {
    Nanos length = 0;
    for (const TimeRange range : intervals) length += range.length();
    return length;
}

Nanos covered_length(const Intervals& intervals, TimeRange range) {
    auto at = std::partition_point(intervals.begin(), intervals.end(),
                                   [&](TimeRange i) { return i.end <= range.begin; });
    Nanos length = 0;
    for (; at != intervals.end() && at->begin < range.end; ++at)
        length += std::min(at->end, range.end) - std::max(at->begin, range.begin);
    return length;
}

}  // namespace lanescope
