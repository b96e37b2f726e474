#include "core/base/radix_sort.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <utility>

namespace lanescope {

namespace {

using Item = std::pair<int64_t, uint32_t>;  // a number, and where it stood

void check_like_stable_sort(std::vector<Item> items) {
    std::vector<Item> expected = items;
    std::ranges::stable_sort(expected, {}, &Item::first);
    radix_sort(items, [](const Item& item) { return radix_key(item.first); });
    CHECK(items == expected);
}

std::vector<Item> random_items(std::size_t count, int64_t min, int64_t max) {
    std::mt19937_64 random(count);
    std::uniform_int_distribution<int64_t> value(min, max);
    std::vector<Item> items(count);
    for (uint32_t i = 0; i < count; ++i) items[i] = {value(random), i};
    return items;
}

}  // namespace

TEST_CASE("radix sort is stable") {
    check_like_stable_sort({});
    check_like_stable_sort({{3, 0}, {1, 1}, {3, 2}});
    for (const std::size_t count : {40, 60, 300, 511, 600, 3000}) {
        check_like_stable_sort(random_items(count, 0, 5));
        check_like_stable_sort(random_items(count, -1'000'000, 1'000'000'000'000));
    }
    check_like_stable_sort(random_items(20'000, 0, 3));
    check_like_stable_sort(random_items(20'000, -1'000'000'000'000, 1'000'000'000'000));
    check_like_stable_sort(random_items(20'000, std::numeric_limits<int64_t>::min(),
                                        std::numeric_limits<int64_t>::max()));
    // Numbers that only differ in high digits.
    std::vector<Item> high = random_items(20'000, 0, 5000);
    for (Item& item : high) item.first = item.first << 40 | 7;
    check_like_stable_sort(high);
}

}  // namespace lanescope
