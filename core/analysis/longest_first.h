// Sorts what has a `range` by it, the longest first.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

#include "core/base/nanos.h"

namespace lanescope {

// Those of one length by their begin, and of one begin by `before(a, b)`. Keys are sorted and not
// the things themselves, which are large.
template <typename T, typename Before>
void sort_longest_first(std::vector<T>& things, const Before& before) {
    struct Key {
        Nanos length;
        Nanos begin;
        uint32_t index;
    };
    std::vector<Key> keys;
    keys.reserve(things.size());
    for (const T& thing : things)
        keys.push_back(
            {thing.range.length(), thing.range.begin, static_cast<uint32_t>(keys.size())});
    std::ranges::sort(keys, [&](const Key& a, const Key& b) {
        if (a.length != b.length) return a.length > b.length;
        if (a.begin != b.begin) return a.begin < b.begin;
        if (before(things[a.index], things[b.index])) return true;
        return !before(things[b.index], things[a.index]) && a.index < b.index;
    });
    std::vector<T> sorted;
    sorted.reserve(things.size());
    for (const Key& key : keys) sorted.push_back(things[key.index]);
    things = std::move(sorted);
}

}  // namespace lanescope
