#include "core/sql/slice_rows.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <tuple>

#include "core/trace/query.h"
#include "tests/core/trace_maker.h"

namespace lanescope {

namespace {

TracePtr random_trace(uint64_t seed) {
    std::mt19937_64 random(seed);
    TraceMaker maker;
    maker.process("1", "python");
    for (const Spread spread : kSpreads) {
        std::vector<TestSlice> slices = random_row(random, 400, spread, 1000);
        // A second level inside.
        for (const TestSlice& outer : random_row(random, 200, spread, 1010))
            slices.push_back({outer.start, outer.duration / 3, outer.name, outer.category});
        maker.lane({slices});
        std::vector<Nanos> marks;
        for (int i = 0; i < 50; ++i) marks.push_back(static_cast<Nanos>(1000 + random() % 100'000));
        std::ranges::sort(marks);
        maker.instants(marks);
    }
    return maker.finish();
}

Nanos start_of(const SliceRows& rows, uint32_t id) {
    const SliceRun& run = rows.run_of(id);
    return run.start[id - run.first];
}

}  // namespace

TEST_CASE("rows of slices have dense ids, slices first, and lead back to their slices") {
    const TracePtr trace = random_trace(1);
    const SliceRows rows(*trace);
    REQUIRE(rows.count() == trace->slice_count() + 250);
    CHECK(rows.slice_count() == trace->slice_count());
    uint32_t next = 0;
    for (const SliceRun& run : rows.runs()) {
        CHECK(run.first == next);
        next += run.count;
    }
    CHECK(next == rows.count());
    for (uint32_t id = 0; id < rows.count(); ++id) {
        const SliceRun& run = rows.run_of(id);
        REQUIRE(id >= run.first);
        REQUIRE(id - run.first < run.count);
        REQUIRE(rows.is_instant(id) == (run.duration == nullptr));
        if (rows.is_instant(id)) continue;
        const SliceRef slice = rows.slice_of(id);
        REQUIRE(rows.id_of(slice) == id);
        REQUIRE(trace->start(slice) == start_of(rows, id));
        REQUIRE(trace->name_id(slice) == run.name[id - run.first]);
        REQUIRE(depth_of(*trace, slice) == rows.depth(id));
    }
}

TEST_CASE("children and descendants of a row are those whose parents lead to it") {
    const TracePtr trace = random_trace(2);
    const SliceRows rows(*trace);
    std::vector<std::vector<uint32_t>> children(rows.count());
    std::vector<std::vector<uint32_t>> descendants(rows.count());
    for (uint32_t id = 0; id < rows.count(); ++id) {
        const auto parent = rows.parent(id);
        if (parent) children[*parent].push_back(id);
        if (parent) CHECK(rows.depth(*parent) < rows.depth(id));
        for (auto around = parent; around; around = rows.parent(*around))
            descendants[*around].push_back(id);
    }
    std::size_t found = 0;
    for (uint32_t id = 0; id < rows.count(); ++id) {
        auto inside = rows.children(id);
        auto all = rows.descendants(id);
        std::ranges::sort(inside);
        std::ranges::sort(all);
        REQUIRE(inside == children[id]);
        REQUIRE(all == descendants[id]);
        found += all.size();
    }
    CHECK(found > 100);
}

TEST_CASE("a parent is the innermost slice that contains the row completely") {
    const TracePtr trace = random_trace(4);
    const SliceRows rows(*trace);
    const auto span_of = [&](uint32_t id) {
        const SliceRun& run = rows.run_of(id);
        const Nanos begin = run.start[id - run.first];
        return TimeRange{begin, begin + run.duration[id - run.first]};
    };
    std::size_t partial = 0;
    for (uint32_t id = 0; id < rows.slice_count(); ++id) {
        const TimeRange own = span_of(id);
        std::optional<uint32_t> expected;
        for (uint32_t other = 0; other < rows.slice_count(); ++other) {
            if (rows.run_of(other).lane != rows.run_of(id).lane) continue;
            if (rows.depth(other) >= rows.depth(id)) continue;
            const TimeRange around = span_of(other);
            if (!around.contains(own.begin)) continue;
            if (around.end < own.end)
                ++partial;
            else if (!expected || rows.depth(other) > rows.depth(*expected))
                expected = other;
        }
        REQUIRE(rows.parent(id) == expected);
    }
    CHECK(partial > 100);
}

TEST_CASE("orders of rows hold every row once, and are sorted") {
    const TracePtr trace = random_trace(3);
    const SliceRows rows(*trace);
    const auto check = [&](std::span<const uint32_t> order, const auto& key_of) {
        std::vector<uint32_t> sorted(order.begin(), order.end());
        std::ranges::sort(sorted);
        REQUIRE(sorted.size() == rows.count());
        for (uint32_t id = 0; id < sorted.size(); ++id) REQUIRE(sorted[id] == id);
        for (std::size_t i = 1; i < order.size(); ++i)
            REQUIRE(key_of(order[i - 1]) <= key_of(order[i]));
    };
    const auto name_of = [&](uint32_t id) {
        const SliceRun& run = rows.run_of(id);
        return std::tuple(trace->strings[run.name[id - run.first]], id);
    };
    check(rows.by_time(), [&](uint32_t id) { return start_of(rows, id); });
    std::vector<uint32_t> by_lane;
    for (LaneId lane = 0; lane < trace->lanes.size(); ++lane)
        by_lane.insert(by_lane.end(), rows.of_lane(lane).begin(), rows.of_lane(lane).end());
    check(by_lane,
          [&](uint32_t id) { return std::tuple(rows.run_of(id).lane, start_of(rows, id)); });
    check(rows.by_name(), name_of);
    check(rows.by_category(), [&](uint32_t id) {
        const SliceRun& run = rows.run_of(id);
        return std::tuple(trace->strings[trace->categories[run.category[id - run.first]].name], id);
    });
    const StringId gemm = trace->strings.find("gemm");
    REQUIRE(!rows.of_name(gemm).empty());
    for (const uint32_t id : rows.of_name(gemm)) CHECK(std::get<0>(name_of(id)) == "gemm");
    for (const uint32_t id : rows.of_lane(3)) CHECK(rows.run_of(id).lane == 3);
}

}  // namespace lanescope
