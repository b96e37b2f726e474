#include "core/trace/query.h"

#include <doctest/doctest.h>

#include "tests/core/trace_maker.h"

using namespace lanescope;

namespace {

// Random calls inside [start, end), randomly nested; some overlap partly, some have zero length.
void add_calls(std::mt19937_64& random, Nanos start, Nanos end, int depth,
               std::vector<TestSlice>& calls) {
    while (start < end && random() % 12 != 0) {
        const Nanos room = end - start;
        const Nanos at = start + static_cast<Nanos>(random() % static_cast<uint64_t>(room));
        Nanos length = static_cast<Nanos>(random() % static_cast<uint64_t>(end - at + 1));
        if (random() % 15 == 0) length = 0;
        if (random() % 25 == 0) length += room / 7;  // out of its parent
        calls.push_back({at, length});
        if (depth < 6 && length > 4) add_calls(random, at, at + length, depth + 1, calls);
        start = at + length;
    }
}

bool covers(const Trace& trace, SliceRef slice, Nanos t) {
    return trace.start(slice) <= t && t < std::max(trace.slice_end(slice), trace.start(slice) + 1);
}

}  // namespace

TEST_CASE("queries equal a scan of every slice") {
    std::mt19937_64 random(11);
    for (int round = 0; round < 30; ++round) {
        // One lane of several chunks, as in a recording.
        std::vector<std::vector<TestSlice>> chunks;
        for (Nanos begin = 0; begin < 3'000; begin += 1'000) {
            chunks.emplace_back();
            add_calls(random, begin, begin + 850, 0, chunks.back());
            if (chunks.back().empty()) chunks.pop_back();
        }
        if (chunks.empty()) continue;
        TraceMaker maker;
        maker.process("1", "python");
        const LaneId lane = maker.lane(chunks);
        const TracePtr trace = maker.finish();
        const uint32_t count = trace->lanes[lane].slice_count;
        const uint32_t depths = trace->lanes[lane].depth_count;

        std::vector<std::vector<SliceRef>> rows(depths);
        for (uint32_t i = 0; i < count; ++i) {
            const SliceRef slice{lane, i};
            rows[depth_of(*trace, slice)].push_back(slice);
        }
        for (auto& row : rows)
            std::ranges::stable_sort(row, {}, [&](SliceRef s) { return trace->start(s); });

        for (uint32_t depth = 0; depth < depths; ++depth) {
            for (Nanos t = -5; t < 3'200; t += 7) {
                SliceRef expected;
                for (const SliceRef slice : rows[depth]) {
                    if (covers(*trace, slice, t)) expected = slice;
                }
                REQUIRE(slice_at(*trace, lane, depth, t) == expected);
            }
            const auto& row = rows[depth];
            for (std::size_t i = 0; i < row.size(); ++i) {
                REQUIRE(next_in_row(*trace, row[i]) ==
                        (i + 1 < row.size() ? row[i + 1] : SliceRef{}));
                REQUIRE(previous_in_row(*trace, row[i]) == (i > 0 ? row[i - 1] : SliceRef{}));
                SliceRef parent;
                if (depth > 0) {
                    for (const SliceRef above : rows[depth - 1]) {
                        if (covers(*trace, above, trace->start(row[i]))) parent = above;
                    }
                }
                REQUIRE(parent_of(*trace, row[i]) == parent);
                SliceRef child;
                Nanos self = trace->duration(row[i]);
                for (const SliceRef below :
                     depth + 1 < depths ? rows[depth + 1] : std::vector<SliceRef>{}) {
                    if (parent_of(*trace, below) != row[i]) continue;
                    if (!child) child = below;
                    self -= std::min(trace->slice_end(below), trace->slice_end(row[i])) -
                            trace->start(below);
                }
                REQUIRE(first_child_of(*trace, row[i]) == child);
                REQUIRE(self_time(*trace, row[i]) == self);
            }
        }
    }
}

TEST_CASE("links are found from both ends") {
    TraceMaker maker;
    maker.process("1", "python");
    maker.lane({{{0, 10}, {20, 10}, {40, 10}}});
    Trace& trace = maker.trace();
    const auto link = [](uint32_t from, uint32_t to) {
        return Link{{0, from}, {0, to}, LinkKind::flow};
    };
    trace.links = {link(0, 1), link(0, 2), link(1, 2)};
    trace.links_by_target = {0, 1, 2};
    CHECK(links_from(trace, {0, 0}).size() == 2);
    CHECK(links_from(trace, {0, 0})[1].to == SliceRef{0, 2});
    CHECK(links_from(trace, {0, 2}).empty());
    CHECK(links_to(trace, {0, 0}).empty());
    REQUIRE(links_to(trace, {0, 2}).size() == 2);
    CHECK(links_to(trace, {0, 2})[1] == 2);
}
