#include "core/base/intervals.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <bitset>
#include <ostream>
#include <random>
#include <utility>
#include <vector>

namespace lanescope {

namespace {

// Time as single nanoseconds: every operation becomes one on bits.
using Bits = std::bitset<64>;

Bits bits_of(const Intervals& intervals) {
    Bits bits;
    for (const TimeRange range : intervals)
        for (Nanos t = range.begin; t < range.end; ++t) bits.set(static_cast<std::size_t>(t));
    return bits;
}

std::vector<TimeRange> random_ranges(std::mt19937& random) {
    std::vector<TimeRange> ranges(random() % 8);
    for (TimeRange& range : ranges) {
        range.begin = random() % 60;
        range.end = range.begin + random() % 12 % (64 - range.begin);
    }
    return ranges;
}

void check_form(const Intervals& intervals) {
    for (std::size_t i = 0; i < intervals.size(); ++i) {
        CHECK(intervals[i].begin < intervals[i].end);
        if (i > 0) CHECK(intervals[i - 1].end <= intervals[i].begin);
    }
}

}  // namespace

TEST_CASE("union, intersection and difference equal those computed for each nanosecond") {
    std::mt19937 random(7);
    for (int round = 0; round < 3000; ++round) {
        const auto ranges = random_ranges(random);
        Bits expected;
        for (const TimeRange range : ranges)
            for (Nanos t = range.begin; t < range.end; ++t)
                expected.set(static_cast<std::size_t>(t));
        const Intervals a = merged(ranges);
        const Intervals b = merged(random_ranges(random));
        CHECK(bits_of(a) == expected);
        CHECK(bits_of(unite(a, b)) == (bits_of(a) | bits_of(b)));
        CHECK(bits_of(intersect(a, b)) == (bits_of(a) & bits_of(b)));
        CHECK(bits_of(subtract(a, b)) == (bits_of(a) & ~bits_of(b)));
        for (const Intervals& set : {a, unite(a, b), intersect(a, b), subtract(a, b)})
            check_form(set);
        CHECK(total_length(a) == static_cast<Nanos>(expected.count()));
        const TimeRange window{static_cast<Nanos>(random() % 30),
                               30 + static_cast<Nanos>(random() % 34)};
        CHECK(covered_length(a, window) == total_length(intersect(a, {window})));
    }
}

TEST_CASE("the union with an empty set is the other set") {
    const Intervals some = {{1, 3}, {5, 8}};
    CHECK(unite(some, {}) == some);
    CHECK(unite({}, some) == some);
    CHECK(unite({}, {}).empty());
    CHECK(unite({{5, 8}}, {{1, 5}}) == Intervals{{1, 8}});
    CHECK(unite({{1, 9}}, {{2, 3}, {9, 10}, {12, 13}}) == Intervals{{1, 10}, {12, 13}});
}

TEST_CASE("the union of many ranges with few equals the union of all") {
    std::mt19937 random(9);
    for (int round = 0; round < 500; ++round) {
        Intervals many;
        for (Nanos begin = 0; begin < 400; begin += 2 + static_cast<Nanos>(random() % 3))
            many.push_back({begin, begin + 1});
        std::vector<TimeRange> all;
        for (int i = 0; i < 4; ++i) {
            const auto begin = static_cast<Nanos>(random() % 420);
            all.push_back({begin, begin + static_cast<Nanos>(random() % 60)});
        }
        const Intervals few = merged(all);
        all.insert(all.end(), many.begin(), many.end());
        CHECK(unite(many, few) == merged(all));
        CHECK(unite(few, many) == merged(all));
    }
}

TEST_CASE("adjacent ranges become one") {
    CHECK(merged({{10, 20}, {0, 10}, {30, 30}}) == Intervals{{0, 20}});
}

TEST_CASE("the union of rows equals the union of all their ranges") {
    std::mt19937 random(5);
    for (int round = 0; round < 2000; ++round) {
        UnionOfRows rows;
        std::vector<TimeRange> all;
        for (int row = 0; row < 4; ++row) {
            std::vector<TimeRange> ranges = random_ranges(random);
            std::ranges::sort(ranges, {}, &TimeRange::begin);
            for (const TimeRange range : ranges) rows.add(range);
            rows.end_row();
            all.insert(all.end(), ranges.begin(), ranges.end());
        }
        const Intervals united = std::move(rows).take();
        check_form(united);
        CHECK(bits_of(united) == bits_of(merged(all)));
    }
}

}  // namespace lanescope
