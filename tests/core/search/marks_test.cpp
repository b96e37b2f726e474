#include "core/search/marks.h"

#include <doctest/doctest.h>

#include <random>
#include <set>

#include "core/view/shown_lanes.h"
#include "tests/core/trace_maker.h"

using namespace lanescope;

namespace {

FoundPtr find(const TracePtr& trace, std::string_view text) {
    const auto expression = parse_search(text);
    REQUIRE(expression);
    return mark_matches(find_matches(trace, *expression), {trace->origin, trace->end});
}

}  // namespace

TEST_CASE("The columns in which matches begin are marked") {
    std::mt19937_64 random(30);
    for (const Spread spread : kSpreads) {
        CAPTURE(static_cast<int>(spread));
        TraceMaker maker;
        maker.process("1", "python");
        const auto first = random_row(random, 3000, spread, 1000);
        const Nanos middle = first.back().start + first.back().duration;
        const auto second = random_row(random, 3000, spread, middle + 1);
        maker.lane({first, second});
        maker.trace().origin = 1000;
        maker.trace().end = second.back().start + second.back().duration;
        const TracePtr trace = maker.finish();
        for (const char* text : {"mm", "copy dur>50ns", "-aten", "nothing"}) {
            CAPTURE(text);
            const FoundPtr found = find(trace, text);
            const double span = static_cast<double>(trace->end - trace->origin);
            for (const double zoom : {1.0, 7.0, 300.0, 1e5}) {
                const MarkScale scale{trace->origin + static_cast<Nanos>(span / 3 / zoom),
                                      800 * zoom / std::max(span, 1.0), 800};
                std::vector<int> columns;
                for (uint32_t depth = 0; depth < trace->lanes[0].depth_count; ++depth) {
                    std::vector<int> row;
                    each_marked_column(*found, 0, depth, scale,
                                       [&](int column) { row.push_back(column); });
                    CHECK(std::ranges::is_sorted(row));
                    CHECK(std::ranges::adjacent_find(row) == row.end());
                    columns.insert(columns.end(), row.begin(), row.end());
                }
                // A mark is at the start of its cell, which is no wider than a pixel.
                const std::set<int> shown(columns.begin(), columns.end());
                std::set<int> expected;
                const LaneMatches& lane = found->matches.lanes[0];
                for (uint32_t i = lane.next(0); i != SliceRef::no_index; i = lane.next(i + 1)) {
                    const double px = scale.px(trace->start({0, i}));
                    if (px < 1 || px >= scale.width - 1) continue;
                    expected.insert(static_cast<int>(px));
                    const int column = static_cast<int>(px);
                    CHECK((shown.contains(column) || shown.contains(column - 1)));
                }
                for (const int column : shown)
                    CHECK((column < 2 || column > 796 || expected.contains(column) ||
                           expected.contains(column + 1)));
            }
        }
    }
}

TEST_CASE("The overview is marked where matches begin") {
    TraceMaker maker;
    maker.process("1", "python");
    maker.lane({{{0, 10, "a"}, {500, 10, "b"}, {999, 1, "a"}}});
    maker.trace().end = 1000;
    const FoundPtr found = find(maker.finish(), "a -b name:a");
    std::vector<std::size_t> marked;
    for (std::size_t i = 0; i < found->overview.size(); ++i)
        if (found->overview[i]) marked.push_back(i);
    CHECK(marked == std::vector<std::size_t>{0, 4091});
}

TEST_CASE("In a lane shown in part, the columns of its visible rows are marked") {
    std::mt19937_64 random(31);
    TraceMaker maker;
    maker.process("1", "python");
    const auto row = random_row(random, 20'000, Spread::heavy, 1000);
    maker.lane({row});
    maker.trace().origin = 1000;
    maker.trace().end = row.back().start + row.back().duration;
    const TracePtr trace = maker.finish();
    const ShownLanesPtr shown = filter_lanes(*trace, {PythonShown::none, true});
    REQUIRE(shown->lanes[0]);
    const ShownLane& part = *shown->lanes[0];
    const FoundPtr whole = find(trace, "mm");
    const FoundPtr found = mark_matches(whole->matches, {trace->origin, trace->end},
                                        {{{&part.lane, part.to_trace}}, shown});
    const double span = static_cast<double>(trace->end - trace->origin);
    for (const double zoom : {1.0, 40.0, 4000.0}) {
        CAPTURE(zoom);
        const MarkScale scale{trace->origin + static_cast<Nanos>(span / 3 / zoom),
                              800 * zoom / span, 800};
        std::set<int> columns;
        for (uint32_t depth = 0; depth < part.lane.depth_count; ++depth)
            each_marked_column(*found, 0, depth, scale, [&](int x) { columns.insert(x); });
        std::size_t inside = 0;
        for (uint32_t i = 0; i < part.to_trace.size(); ++i) {
            if (!whole->matches.test({0, part.to_trace[i]})) continue;
            const double px = scale.px(trace->start({0, part.to_trace[i]}));
            if (px < 1 || px >= scale.width - 1) continue;
            ++inside;
            const int column = static_cast<int>(px);
            CHECK((columns.contains(column) || columns.contains(column - 1)));
        }
        CHECK(columns.size() <= inside + 4);
        CHECK((inside > 0 || zoom > 1));
    }
}
