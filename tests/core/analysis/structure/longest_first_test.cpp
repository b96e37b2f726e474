#include "core/analysis/structure/longest_first.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <tuple>

namespace lanescope {

namespace {

struct Thing {
    TimeRange range;
    int thread = 0;
};

void check_order(const std::vector<Thing>& things) {
    std::vector<uint32_t> expected(things.size());
    std::iota(expected.begin(), expected.end(), 0U);
    std::ranges::stable_sort(expected, {}, [&](uint32_t i) {
        return std::tuple(-things[i].range.length(), things[i].range.begin, things[i].thread);
    });
    CHECK(longest_first(things, [](const Thing& a, const Thing& b) {
              return a.thread < b.thread;
          }) == expected);
}

}  // namespace

TEST_CASE("the longest come first, of equal ones the earliest, in any input order") {
    std::mt19937 random(1);
    std::vector<Thing> things;
    for (int thread = 0; thread < 3; ++thread)
        for (Nanos begin = 0; begin < 5000; begin += 1 + random() % 3)
            things.push_back({{begin, begin + 1 + static_cast<Nanos>(random() % 4)}, thread});
    check_order(things);
    std::shuffle(things.begin(), things.end(), random);
    check_order(things);
    check_order({});
    // Lengths and indices that do not fit in one number.
    check_order(
        {{{0, 5}, 0}, {{0, Nanos{1} << 62}, 0}, {{-7, 5}, 0}, {{-7, (Nanos{1} << 62) - 7}, 1}});
}

}  // namespace lanescope
