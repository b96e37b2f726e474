// Stable radix sort by an integer key. Its time is proportional to the number of items.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace lanescope {

namespace detail {

// Sorts by `digit_bits` bits at a time, beginning with the lowest bit in which keys differ.
template <unsigned digit_bits, typename T, typename KeyOf>
void sort_by_digits(std::vector<T>& items, const KeyOf& key_of) {
    constexpr std::size_t digits = std::size_t{1} << digit_bits;
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

}  // namespace detail

// Sorts by ascending `key_of(item)`, a uint64_t; items with equal keys keep their order. Makes one
// pass for each eleven bits in which keys differ (six bits for a few hundred items), and needs
// memory for a copy.
template <typename T, typename KeyOf>
void radix_sort(std::vector<T>& items, const KeyOf& key_of) {
    constexpr std::size_t worth_a_pass = 48;
    constexpr std::size_t worth_long_passes = 512;
    const auto before = [&](const T& a, const T& b) { return key_of(a) < key_of(b); };
    if (std::is_sorted(items.begin(), items.end(), before)) return;
    if (items.size() < worth_a_pass)
        std::stable_sort(items.begin(), items.end(), before);
    else if (items.size() < worth_long_passes)
        detail::sort_by_digits<6>(items, key_of);
    else
        detail::sort_by_digits<11>(items, key_of);
}

// Maps a signed number to an unsigned key of the same order. A lambda rather than a function, so
// that it is inlined where it is passed as an argument.
inline constexpr auto radix_key = [](int64_t value) {
    return static_cast<uint64_t>(value) ^ uint64_t { 1 } << 63U;
};

}  // namespace lanescope
