#include "core/base/intervals.h"

#include <algorithm>

#include "core/base/radix_sort.h"

namespace lanescope {

void UnionOfRows::end_row() {
    if (!row_.empty()) all_ = unite(all_, row_);
    row_.clear();
    at_ = all_.data();
    end_ = at_ + all_.size();
}

Intervals merged(std::vector<TimeRange> ranges) {
    radix_sort(ranges, [](TimeRange range) { return radix_key(range.begin); });
    Intervals out;
    for (const TimeRange range : ranges) append_merged(out, range);
    return out;
}

Intervals unite(const Intervals& a, const Intervals& b) {
    if (a.empty()) return b;
    Intervals out(a.size() + b.size());
    TimeRange* last = out.data();
    std::size_t j = 0;
    *last = !b.empty() && b[0].begin <= a[0].begin ? b[j++] : a[0];
    const auto append = [&](TimeRange next) {
        if (last->end < next.begin)
            *++last = next;
        else
            last->end = std::max(last->end, next.end);
    };
    for (const TimeRange range : a) {
        while (j < b.size() && b[j].begin <= range.begin) append(b[j++]);
        append(range);
    }
    while (j < b.size()) append(b[j++]);
    out.resize(static_cast<std::size_t>(last - out.data()) + 1);
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
