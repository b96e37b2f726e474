// Stable sorting of many small things by a whole number, in time that grows with their number only.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace lanescope {

// From the smallest key to the largest; equal ones stay as they stand. `key_of(item)` is a
// uint64_t. Takes a pass for each eleven bits in which keys differ, and memory for a copy.
template <typename T, typename KeyOf>
void radix_sort(std::vector<T>& items, const KeyOf& key_of) {
    constexpr unsigned digit_bits = 11;
    constexpr std::size_t digits = std::size_t{1} << digit_bits;
    constexpr std::size_t worth_it = 2 * digits;
    const auto before = [&](const T& a, const T& b) { return key_of(a) < key_of(b); };
    if (std::is_sorted(items.begin(), items.end(), before)) return;
    if (items.size() < worth_it) {
        std::stable_sort(items.begin(), items.end(), before);
        return;
    }
    uint64_t differing = 0;
    for (const T& item : items) differing |= key_of(item) ^ key_of(items.front());
    std::vector<T> sorted(items.size());
    for (unsigned shift = static_cast<unsigned>(std::countr_zero(differing));
         shift < 64 && differing >> shift != 0; shift += digit_bits) {
        std::array<std::size_t, digits> place = {};
        const auto digit = [&](const T& item) { return key_of(item) >> shift & (digits - 1); };
        for (const T& item : items) ++place[digit(item)];
        std::size_t next = 0;
        for (std::size_t& p : place) next += std::exchange(p, next);
        for (const T& item : items) sorted[place[digit(item)]++] = item;
        items.swap(sorted);
    }
}

// A signed number as a key of the same order.
inline uint64_t radix_key(int64_t value) {
    return static_cast<uint64_t>(value) ^ uint64_t { 1 } << 63U;
}

}  // namespace lanescope
