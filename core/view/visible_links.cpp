#include "core/view/visible_links.h"

#include <algorithm>

namespace lanescope {

namespace {

constexpr std::size_t kMaxLinksVisited = 20'000;  // more could not be distinguished

// The first of [at, end) that is not before the slice, by exponential search: the next slice of a
// row is usually near.
template <typename Before>
std::size_t advance(std::size_t at, std::size_t end, const Before& before) {
    std::size_t step = 1;
    std::size_t low = at;
    while (low + step < end && before(low + step)) {
        low += step;
        step *= 2;
    }
    std::size_t high = std::min(end, low + step);
    while (low < high) {
        const std::size_t middle = low + (high - low) / 2;
        if (before(middle))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Adds the links at one of their ends to the slices of a row. `end_of(i)` is the end of the i-th of
// `count` in sorted order, `number(i)` its index in Trace::links.
template <typename EndOf, typename Number>
void add_links(const DrawItems& items, const RowItems& row, std::size_t count, const EndOf& end_of,
               const Number& number, std::vector<uint32_t>& links) {
    std::size_t at = 0;
    for (uint32_t i = row.rect_begin; i < row.rect_end && links.size() < kMaxLinksVisited; ++i) {
        const SliceRef slice{row.lane, items.rects[i].slice};
        // Rectangles are sorted within a chunk only, and not if slices are hidden.
        if (at > 0 && !(end_of(at - 1) < slice)) at = 0;
        at = advance(at, count, [&](std::size_t k) { return end_of(k) < slice; });
        for (; at < count && end_of(at) == slice && links.size() < kMaxLinksVisited; ++at)
            links.push_back(number(at));
    }
}

}  // namespace

void find_visible_links(const Trace& trace, const DrawItems& items, std::size_t limit,
                        VisibleLinks& found) {
    std::vector<uint32_t>& links = found.links;
    links.clear();
    for (const RowItems& row : items.rows) {
        if (row.rect_begin == row.rect_end) continue;
        add_links(
            items, row, trace.links.size(), [&](std::size_t k) { return trace.links[k].from; },
            [](std::size_t k) { return static_cast<uint32_t>(k); }, links);
        add_links(
            items, row, trace.links_by_target.size(),
            [&](std::size_t k) { return trace.links[trace.links_by_target[k]].to; },
            [&](std::size_t k) { return trace.links_by_target[k]; }, links);
    }
    std::ranges::sort(links);
    links.erase(std::unique(links.begin(), links.end()), links.end());
    found.all = links.size();
    if (links.size() <= limit) return;
    for (std::size_t i = 0; i < limit; ++i) links[i] = links[i * found.all / limit];
    links.resize(limit);
}

}  // namespace lanescope
