#include "core/analysis/statistics/siblings.h"

#include <doctest/doctest.h>

#include <numeric>

#include "core/ingest/load.h"
#include "tests/core/trace_maker.h"

namespace lanescope {

namespace {

TracePtr made_trace(const std::vector<Nanos>& durations) {
    TraceMaker maker;
    maker.process("1", "python");
    std::vector<TestSlice> slices;
    for (std::size_t i = 0; i < durations.size(); ++i) {
        const auto start = static_cast<Nanos>(i) * 1'000'000;
        slices.push_back({start, durations[i], "mm"});
        slices.push_back({start + 500'000, 7, "mm", "cuda_runtime"});
        slices.push_back({start + 600'000, 9, "add"});
    }
    maker.lane({slices});
    return maker.finish();
}

std::optional<Siblings> siblings_of_first(const TracePtr& trace, const TableQuery& query = {}) {
    return siblings_of(*trace, query, sibling_kind(*trace, {0, 0}));
}

}  // namespace

TEST_CASE("siblings share the slice's name and category") {
    const TracePtr trace = made_trace({400, 100, 300, 200});
    const auto siblings = siblings_of_first(trace);
    REQUIRE(siblings);
    CHECK(siblings->name == "mm");
    CHECK(siblings->durations == std::vector<Nanos>{100, 200, 300, 400});
    CHECK(siblings->all.durations.mean == 250);
    CHECK(trace->start(siblings->by_duration.front()) == 1'000'000);
    CHECK(trace->duration(siblings->at_quantile(1)) == 400);
}

TEST_CASE("only siblings that begin in the range count") {
    const TracePtr trace = made_trace({400, 100, 300, 200});
    const auto some = siblings_of_first(trace, {TimeRange{900'000, 3'000'000}});
    REQUIRE(some);
    CHECK(some->durations == std::vector<Nanos>{100, 300});
    CHECK(!siblings_of_first(trace, {TimeRange{100, 200}}));
}

TEST_CASE("every instance is in the bin of its duration") {
    std::vector<Nanos> durations(200);
    for (std::size_t i = 0; i < durations.size(); ++i)
        durations[i] = 1000 + static_cast<Nanos>(i * 7919 % 613);
    const TracePtr trace = made_trace(durations);
    const auto siblings = siblings_of_first(trace);
    REQUIRE(siblings);
    CHECK(!siblings->cut);
    CHECK(siblings->beyond_cut().empty());
    std::size_t count = 0;
    for (std::size_t bin = 0; bin < siblings->shown.counts.size(); ++bin) {
        for (const SliceRef slice : siblings->in_bin(bin)) {
            CHECK(siblings->bin_of(trace->duration(slice)) == bin);
            ++count;
        }
    }
    CHECK(count == durations.size());
    CHECK(siblings->bin_of(999) == std::nullopt);
}

TEST_CASE("one far outlier does not squeeze the others into a corner of the picture") {
    std::vector<Nanos> durations(100);
    std::iota(durations.begin(), durations.end(), 1000);
    durations[0] = 90'000;  // the first launch of a program
    const TracePtr trace = made_trace(durations);
    const auto siblings = siblings_of_first(trace);
    REQUIRE(siblings);
    REQUIRE(siblings->cut);
    CHECK(*siblings->cut >= 1099);
    CHECK(siblings->shown.edges.back() == 1099);
    REQUIRE(siblings->beyond_cut().size() == 1);
    CHECK(trace->duration(siblings->beyond_cut().front()) == 90'000);
    CHECK(siblings->bin_of(90'000) == std::nullopt);
    CHECK(siblings->warm_up == 1);
    CHECK(siblings->all.durations.max == 90'000);
}

TEST_CASE("all steps are siblings, whatever their numbers") {
    const auto trace = load_trace(LANESCOPE_ROOT "/assets/samples/synthetic_step.json.gz");
    REQUIRE(trace);
    std::size_t steps = 0;
    for (LaneId lane = 0; lane < (*trace)->lanes.size(); ++lane) {
        for (uint32_t i = 0; i < (*trace)->lanes[lane].slice_count; ++i) {
            if (!(*trace)->name({lane, i}).starts_with("ProfilerStep#") ||
                (*trace)->processes[(*trace)->lanes[lane].process].is_gpu)
                continue;
            ++steps;
            const auto siblings = siblings_of(**trace, {}, sibling_kind(**trace, {lane, i}));
            REQUIRE(siblings);
            CHECK(siblings->name == "ProfilerStep*");
            CHECK(siblings->durations.size() == 3);
        }
    }
    CHECK(steps == 3);
}

}  // namespace lanescope
