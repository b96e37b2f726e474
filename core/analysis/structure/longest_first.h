// Sorting for items that consist of a few ascending runs, and for items with a `range`, longest
// first.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "core/base/nanos.h"
#include "core/base/radix_sort.h"

namespace lanescope {

// The indices 0, 1, 2, … sorted by `less(a, b)`, stable. Merges the ascending runs of the input
// (such as each thread's items in order of time).
template <typename Less>
std::vector<uint32_t> merged_order(std::size_t count, const Less& less) {
    std::vector<uint32_t> order(count);
    std::iota(order.begin(), order.end(), 0U);
    std::vector<std::size_t> ends;
    for (uint32_t i = 1; i < count; ++i)
        if (less(i, i - 1)) ends.push_back(i);
    ends.push_back(count);
    std::vector<uint32_t> merged(ends.size() > 1 ? count : 0);
    while (ends.size() > 1) {
        std::vector<std::size_t> joined;
        std::size_t begin = 0;
        for (std::size_t part = 0; part < ends.size(); part += 2) {
            const auto at = [&](std::size_t i) {
                return order.begin() + static_cast<std::ptrdiff_t>(i);
            };
            const std::size_t middle = ends[part];
            const std::size_t end = ends[std::min(part + 1, ends.size() - 1)];
            std::merge(at(begin), at(middle), at(middle), at(end),
                       merged.begin() + static_cast<std::ptrdiff_t>(begin), less);
            joined.push_back(end);
            begin = end;
        }
        order.swap(merged);
        ends.swap(joined);
    }
    return order;
}

// Indices of items, longest first; equal lengths by begin, equal begins by `before(a, b)`.
template <typename Things, typename Before>
std::vector<uint32_t> longest_first(const Things& things, const Before& before) {
    std::vector<uint32_t> order = merged_order(things.size(), [&](uint32_t a, uint32_t b) {
        const auto& x = things[a];
        const auto& y = things[b];
        if (x.range.begin != y.range.begin) return x.range.begin < y.range.begin;
        return before(x, y);
    });
    Nanos longest = 0;
    for (const auto& thing : things) longest = std::max(longest, thing.range.length());
    const auto shorter_by = [&](uint32_t i) {
        return static_cast<uint64_t>(longest - things[i].range.length());
    };
    // Length and index usually fit in one number.
    const auto place_bits = static_cast<unsigned>(std::bit_width(things.size()));
    if (std::bit_width(static_cast<uint64_t>(longest)) + place_bits > 64) {
        std::ranges::stable_sort(order, {}, shorter_by);
        return order;
    }
    std::vector<uint64_t> keys;
    keys.reserve(order.size());
    for (const uint32_t i : order) keys.push_back(shorter_by(i) << place_bits | i);
    radix_sort(keys, [&](uint64_t key) { return key >> place_bits; });
    const uint64_t place = (uint64_t{1} << place_bits) - 1;
    for (std::size_t i = 0; i < keys.size(); ++i) order[i] = static_cast<uint32_t>(keys[i] & place);
    return order;
}

}  // namespace lanescope
