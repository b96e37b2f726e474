#include "ui/timeline/alike.h"

#include <doctest/doctest.h>

#include "tests/core/trace_maker.h"

using namespace lanescope;

namespace {

// Two lanes; "mm" as an operator three times and once as a kernel.
TracePtr made() {
    TraceMaker maker;
    maker.process("1", "python");
    maker.lane({{{0, 10, "mm"}, {20, 5, "add"}, {30, 30, "mm"}}});
    maker.lane({{{10, 7, "mm"}, {40, 1, "ProfilerStep#1"}}, {{50, 2, "ProfilerStep#2"}}});
    maker.lane({{{5, 3, "mm", "kernel"}}});
    return maker.finish();
}

}  // namespace

TEST_CASE("slices like another have its name and category, in order of time") {
    const TracePtr trace = made();
    const Alike alike = find_alike(*trace, {}, {0, 0});
    REQUIRE(alike.slices.size() == 3);
    CHECK(alike.slices == std::vector<SliceRef>{{0, 0}, {1, 0}, {0, 2}});
    CHECK(alike.total == 47);
    CHECK(alike.name == "mm");
    CHECK(alike.starts[0] == std::vector<Nanos>{0, 30});
    CHECK(alike.starts[1] == std::vector<Nanos>{10});
    CHECK(alike.starts[2].empty());
    CHECK(find_alike(*trace, {TimeRange{5, 30}}, {0, 0}).slices == std::vector<SliceRef>{{1, 0}});
    CHECK(find_alike(*trace, {}, {1, 1}).slices.size() == 2);  // all steps, whatever their number
}

TEST_CASE("next and previous go through them in order of time and wrap around") {
    const TracePtr trace = made();
    const Alike alike = find_alike(*trace, {}, {0, 0});
    const auto next = [&](SliceRef from) { return step_alike(*trace, alike, from, true); };
    const auto previous = [&](SliceRef from) { return step_alike(*trace, alike, from, false); };
    CHECK(next({0, 0}) == SliceRef{1, 0});
    CHECK(next({1, 0}) == SliceRef{0, 2});
    CHECK(next({0, 2}) == SliceRef{0, 0});
    CHECK(previous({0, 0}) == SliceRef{0, 2});
    CHECK(previous({0, 2}) == SliceRef{1, 0});
    // From another slice to the nearest; from no slice to an end.
    CHECK(next({0, 1}) == SliceRef{0, 2});
    CHECK(previous({0, 1}) == SliceRef{1, 0});
    CHECK(next({}) == SliceRef{0, 0});
    CHECK(previous({}) == SliceRef{0, 2});
    CHECK(alike.place(*trace, {1, 0}) == 1);
    CHECK(alike.place(*trace, {0, 1}) == Alike::nowhere);
    CHECK(alike.place(*trace, {}) == Alike::nowhere);
}
