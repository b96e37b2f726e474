#include "core/base/intervals.h"

#include <algorithm>

#include "core/base/radix_sort.h"

namespace lanescope {

namespace {

using At = Intervals::const_iterator;

// Exponential search: steps of doubling length, then binary search.
template <typename Holds>
At end_of_run(At begin, At end, const Holds& holds) {
    std::ptrdiff_t step = 1;
    while (step < end - begin && holds(begin[step])) step *= 2;
    return std::partition_point(begin + step / 2, begin + std::min(step, end - begin), holds);
}

// Appends ranges that do not touch each other, so only the first can touch the last range of `all`.
void append_run(Intervals& out, At begin, At end) {
    while (begin != end && !out.empty() && begin->begin <= out.back().end)
        append_merged(out, *begin++);
    out.insert(out.end(), begin, end);
}

}  // namespace

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
    if (a.size() < b.size()) return unite(b, a);
    if (b.empty()) return a;
    Intervals out;
    out.reserve(a.size() + b.size());
    auto next = a.begin();
    for (const TimeRange range : b) {
        const auto comes_first = [&](TimeRange r) { return r.begin <= range.begin; };
        // If both sets are equally dense, ranges are taken one or two at a time; otherwise most of
        // `a` is copied in long runs.
        for (int few = 0; few < 4 && next != a.end() && comes_first(*next); ++few)
            append_merged(out, *next++);
        if (next != a.end() && comes_first(*next)) {
            const auto end = end_of_run(next, a.end(), comes_first);
            append_run(out, next, end);
            next = end;
        }
        append_merged(out, range);
    }
    append_run(out, next, a.end());
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
