// Nesting compared with plain rules: containment by brute force, and the stack that counts facts.
#include "core/trace/nesting.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "core/trace/query.h"
#include "tests/core/trace_maker.h"

using namespace lanescope;

namespace {

struct Interval {
    Nanos start, duration;
    Nanos end() const { return start + duration; }
    friend bool operator==(const Interval&, const Interval&) = default;
};

RawSlices raw_slices(const std::vector<Interval>& intervals) {
    RawSlices raw;
    for (std::size_t i = 0; i < intervals.size(); ++i) {
        raw.start.push_back(intervals[i].start);
        raw.duration.push_back(intervals[i].duration);
        raw.name.push_back(static_cast<StringId>(i));
        raw.category.push_back(static_cast<CategoryId>(i % 1000));
        raw.source.push_back(i * 3);
    }
    return raw;
}

// By (start, longest first, raw order).
std::vector<std::size_t> reference_order(const std::vector<Interval>& intervals) {
    std::vector<std::size_t> order(intervals.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        if (intervals[a].start != intervals[b].start)
            return intervals[a].start < intervals[b].start;
        return intervals[a].duration > intervals[b].duration;
    });
    return order;
}

struct Counted {
    uint32_t deepest = 0;
    uint32_t overlaps = 0;
};

// Pops while the top's end is not after the start. A slice that ends after the slice below it
// counts as a partial overlap, and is pushed anyway.
Counted reference_stack(const std::vector<Interval>& intervals) {
    Counted counted;
    std::vector<Nanos> stack;
    for (const std::size_t i : reference_order(intervals)) {
        while (!stack.empty() && stack.back() <= intervals[i].start) stack.pop_back();
        if (!stack.empty() && intervals[i].end() > stack.back()) ++counted.overlaps;
        stack.push_back(intervals[i].end());
        counted.deepest = std::max(counted.deepest, static_cast<uint32_t>(stack.size()));
    }
    return counted;
}

// Every slice once, with its own columns; rows sorted by start without overlaps.
void check_layout(const std::vector<Interval>& intervals, const NestingResult& result) {
    const Chunk& chunk = result.chunk;
    REQUIRE(chunk.size() == intervals.size());
    REQUIRE(result.place.size() == intervals.size());
    std::vector<bool> taken(intervals.size());
    for (std::size_t i = 0; i < intervals.size(); ++i) {
        const uint32_t place = result.place[i];
        REQUIRE(place < chunk.size());
        REQUIRE_FALSE(taken[place]);
        taken[place] = true;
        REQUIRE(Interval{chunk.start[place], chunk.duration[place]} == intervals[i]);
        REQUIRE(chunk.name[place] == i);
        REQUIRE(chunk.category[place] == i % 1000);
        REQUIRE(chunk.source[place] == i * 3);
    }
    uint32_t next = 0;
    for (const DepthRow& row : chunk.rows) {
        REQUIRE(row.begin == next);
        REQUIRE(row.size() > 0);
        next = row.end;
        for (uint32_t i = row.begin + 1; i < row.end; ++i) {
            REQUIRE(chunk.start[i] >= chunk.start[i - 1]);
            REQUIRE(chunk.end(i - 1) <= chunk.start[i]);
        }
    }
    REQUIRE(next == chunk.size());
}

// Properly nested: cuts a range at random, then each part again.
void grow(std::mt19937_64& random, Interval range, int depth, std::vector<Interval>& out) {
    out.push_back(range);
    Nanos at = range.start;
    while (depth > 0 && at < range.end() && random() % 5 != 0) {
        const Nanos room = range.end() - at;
        const Nanos start = at + static_cast<Nanos>(random() % static_cast<uint64_t>(room));
        const Nanos length =
            1 + static_cast<Nanos>(random() % static_cast<uint64_t>(range.end() - start));
        grow(random, {start, length}, depth - 1, out);
        at = start + length;
    }
}

// The number of others that contain each: its depth if nothing overlaps partly and no two are
// equal.
uint32_t reference_depth(const std::vector<Interval>& all, std::size_t i) {
    uint32_t depth = 0;
    for (std::size_t k = 0; k < all.size(); ++k)
        if (k != i && all[k].start <= all[i].start && all[k].end() >= all[i].end()) ++depth;
    return depth;
}

}  // namespace

TEST_CASE("properly nested slices have the depth of their enclosing slices") {
    for (uint64_t seed = 0; seed < 200; ++seed) {
        std::mt19937_64 random(seed);
        std::vector<Interval> all;
        Nanos at = -50'000;
        while (all.size() < 120) {
            const auto length = static_cast<Nanos>(1 + random() % 5000);
            grow(random, {at, length}, 6, all);
            at += length + static_cast<Nanos>(random() % 3);
        }
        // No two are equal: otherwise file order would decide which is the outer one.
        std::sort(all.begin(), all.end(), [](const Interval& a, const Interval& b) {
            return std::pair(a.start, a.duration) < std::pair(b.start, b.duration);
        });
        all.erase(std::unique(all.begin(), all.end()), all.end());
        if (seed % 2) std::shuffle(all.begin(), all.end(), random);
        CAPTURE(seed);
        const NestingResult result = nest(raw_slices(all));
        check_layout(all, result);
        CHECK(result.partial_overlaps == 0);
        CHECK(result.deepest_stack == result.chunk.rows.size());
        for (std::size_t i = 0; i < all.size(); ++i)
            REQUIRE(result.chunk.depth(result.place[i]) == reference_depth(all, i));
    }
}

TEST_CASE("the parent found by binary search is the innermost enclosing slice") {
    for (uint64_t seed = 0; seed < 50; ++seed) {
        std::mt19937_64 random(seed);
        std::vector<Interval> all;
        grow(random, {0, 100'000}, 8, all);
        std::sort(all.begin(), all.end(), [](const Interval& a, const Interval& b) {
            return std::pair(a.start, a.duration) < std::pair(b.start, b.duration);
        });
        all.erase(std::unique(all.begin(), all.end()), all.end());
        TraceMaker maker;
        maker.process("1", "p");
        std::vector<TestSlice> slices;
        for (const Interval& interval : all) slices.push_back({interval.start, interval.duration});
        const LaneId lane = maker.lane({slices});
        const TracePtr trace = maker.finish();
        for (uint32_t i = 0; i < all.size(); ++i) {
            const SliceRef slice{lane, i};
            const Interval own{trace->start(slice), trace->duration(slice)};
            const Interval* tightest = nullptr;
            for (const Interval& other : all) {
                const bool around = other.start <= own.start && other.end() >= own.end();
                if (!(other == own) && around && (!tightest || other.duration < tightest->duration))
                    tightest = &other;
            }
            const SliceRef parent = parent_of(*trace, slice);
            REQUIRE(static_cast<bool>(parent) == (tightest != nullptr));
            if (parent)
                REQUIRE(Interval{trace->start(parent), trace->duration(parent)} == *tightest);
        }
    }
}

TEST_CASE(
    "random slices of any kind are laid out completely and counted as a plain stack counts them") {
    for (uint64_t seed = 0; seed < 400; ++seed) {
        std::mt19937_64 random(seed);
        std::vector<Interval> all(1 + random() % 300);
        const Nanos spread = seed % 3 == 0 ? 20 : seed % 3 == 1 ? 1000 : 1'000'000;
        for (Interval& interval : all)
            interval = {static_cast<Nanos>(random() % static_cast<uint64_t>(spread)),
                        static_cast<Nanos>(random() % 4 == 0 ? 0 : random() % 200)};
        if (seed % 4 == 0)
            std::sort(all.begin(), all.end(),
                      [](const Interval& a, const Interval& b) { return a.start < b.start; });
        CAPTURE(seed);
        const NestingResult result = nest(raw_slices(all));
        check_layout(all, result);
        const Counted counted = reference_stack(all);
        CHECK(result.deepest_stack == counted.deepest);
        CHECK(result.partial_overlaps == counted.overlaps);
    }
}

TEST_CASE("the first overlaps are reported by their raw index, in order of time") {
    const std::vector<Interval> all = {{50, 20}, {0, 10}, {5, 10}, {60, 20}, {100, 5}};
    const RawSlices raw = raw_slices(all);
    const NestingPlan plan = plan_nesting(raw.start, raw.duration);
    CHECK(plan.partial_overlaps == 2);
    CHECK(plan.overlapping == std::vector<uint32_t>{2, 3});
}

TEST_CASE("almost sorted rows, as in files, are sorted by time") {
    for (uint64_t seed = 0; seed < 60; ++seed) {
        std::mt19937_64 random(seed);
        std::vector<Interval> all(3000);
        for (std::size_t i = 0; i < all.size(); ++i)
            all[i] = {static_cast<Nanos>(i) * 10, static_cast<Nanos>(random() % 10)};
        for (uint64_t swaps = 0; swaps < seed; ++swaps)
            std::swap(all[random() % all.size()], all[random() % all.size()]);
        if (seed % 5 == 0) std::reverse(all.begin(), all.end());
        std::vector<Nanos> start;
        std::vector<Nanos> duration;
        for (const Interval& interval : all) {
            start.push_back(interval.start);
            duration.push_back(interval.duration);
        }
        const Column<uint32_t> order = time_order(start, duration);
        const std::vector<std::size_t> expected = reference_order(all);
        CAPTURE(seed);
        if (order.empty()) {
            REQUIRE(std::is_sorted(expected.begin(), expected.end()));
        } else {
            REQUIRE(std::equal(expected.begin(), expected.end(), order.begin(), order.end()));
        }
        const Column<uint32_t> alike = time_order(start, Column<Nanos>::filled(start.size(), 0));
        const Column<uint32_t> of_times = time_order(start);
        REQUIRE(std::equal(alike.begin(), alike.end(), of_times.begin(), of_times.end()));
    }
}

TEST_CASE("of two slices with the same start, the longer one is outside, whichever comes first") {
    for (const bool longer_first : {false, true}) {
        const std::vector<Interval> intervals = longer_first
                                                    ? std::vector<Interval>{{0, 20}, {0, 5}}
                                                    : std::vector<Interval>{{0, 5}, {0, 20}};
        const NestingResult result = nest(raw_slices(intervals));
        check_layout(intervals, result);
        REQUIRE(result.chunk.rows.size() == 2);
        CHECK(result.chunk.duration[result.chunk.rows[0].begin] == 20);
        CHECK(result.chunk.duration[result.chunk.rows[1].begin] == 5);
    }
}

TEST_CASE("rows in random order are sorted, with equal times") {
    for (uint64_t seed = 0; seed < 20; ++seed) {
        std::mt19937_64 random(seed);
        std::vector<Nanos> start;
        std::vector<Nanos> duration;
        std::vector<Interval> all;
        for (int i = 0; i < 3000; ++i) {
            start.push_back(static_cast<Nanos>(random() % 500) - 250);
            duration.push_back(static_cast<Nanos>(random() % 4));
            all.push_back({start.back(), duration.back()});
        }
        CAPTURE(seed);
        const Column<uint32_t> order = time_order(start, duration);
        const std::vector<std::size_t> expected = reference_order(all);
        REQUIRE(std::equal(expected.begin(), expected.end(), order.begin(), order.end()));
    }
}

TEST_CASE("slices at the limits of a file's times are nested") {
    constexpr Nanos far = 4'000'000'000'000'000'000;
    constexpr Nanos longest = 1'000'000'000'000'000'000;
    std::vector<Interval> all = {{-far, longest}, {-far, 0}, {far, longest}, {0, longest}, {0, 0}};
    for (Nanos i = 0; i < 5000; ++i) all.push_back({far - 2 * i, i % 2});
    const NestingResult result = nest(raw_slices(all));
    check_layout(all, result);
}

TEST_CASE("a hundred thousand nested slices have a row each") {
    std::vector<Interval> all;
    for (Nanos i = 0; i < 100'000; ++i) all.push_back({i, 400'000 - 2 * i});
    const NestingResult result = nest(raw_slices(all));
    CHECK(result.chunk.rows.size() == 100'000);
    CHECK(result.deepest_stack == 100'000);
    CHECK(result.partial_overlaps == 0);
}

TEST_CASE("without slices there are no rows") {
    const NestingResult result = nest(RawSlices());
    CHECK(result.chunk.size() == 0);
    CHECK(result.chunk.rows.empty());
    CHECK(result.deepest_stack == 0);
}
