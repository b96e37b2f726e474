#include "ui/timeline/navigation.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <tuple>

#include "core/analysis/statistics/range_summary.h"
#include "core/ingest/load.h"
#include "core/trace/query.h"

using namespace lanescope;

namespace {

const Trace& sample() {
    static const TracePtr trace = [] {
        auto loaded = load_trace(LANESCOPE_ROOT "/assets/samples/synthetic_step.json.gz");
        REQUIRE(loaded);
        return *loaded;
    }();
    return *trace;
}

LaneId busiest_lane(const Trace& trace) {
    LaneId best = 0;
    for (LaneId lane = 0; lane < trace.lanes.size(); ++lane) {
        if (trace.lanes[lane].slice_count > trace.lanes[best].slice_count) best = lane;
    }
    return best;
}

// All slices of a lane, by start and then depth.
std::vector<SliceRef> reading_order(const Trace& trace, LaneId lane) {
    std::vector<SliceRef> slices;
    for (uint32_t i = 0; i < trace.lanes[lane].slice_count; ++i) slices.push_back({lane, i});
    std::sort(slices.begin(), slices.end(), [&](SliceRef a, SliceRef b) {
        return std::tuple(trace.start(a), depth_of(trace, a)) <
               std::tuple(trace.start(b), depth_of(trace, b));
    });
    return slices;
}

}  // namespace

TEST_CASE("Next and previous visit a whole lane in reading order") {
    const Trace& trace = sample();
    const std::vector<SliceRef> slices = reading_order(trace, busiest_lane(trace));
    REQUIRE(slices.size() > 100);
    for (std::size_t i = 0; i + 1 < slices.size(); ++i) {
        REQUIRE(next_in_lane(trace, slices[i]) == slices[i + 1]);
        REQUIRE(previous_in_lane(trace, slices[i + 1]) == slices[i]);
    }
    CHECK(!next_in_lane(trace, slices.back()));
    CHECK(!previous_in_lane(trace, slices.front()));
}

TEST_CASE("The number of slices that begin in a range equals a count of each") {
    const Trace& trace = sample();
    const Nanos length = trace.end - trace.origin;
    for (int part = 0; part < 10; ++part) {
        const TimeRange range{trace.origin + length * part / 12,
                              trace.origin + length * (part + 3) / 12};
        uint64_t expected = 0;
        for (LaneId lane = 0; lane < trace.lanes.size(); ++lane)
            for (uint32_t i = 0; i < trace.lanes[lane].slice_count; ++i)
                expected += range.contains(trace.start({lane, i}));
        CHECK(count_slices(trace, {range, {}}) == expected);
    }
}

TEST_CASE("A kernel's parent is its launch, the launch's parent its enclosing call") {
    const Trace& trace = sample();
    std::size_t launched = 0;
    for (const SliceRef kernel : trace.gpu_activities.slice) {
        const auto links = links_to(trace, kernel);
        if (links.empty()) continue;
        ++launched;
        const SliceRef call = trace.links[links.front()].from;
        CHECK(flow_source(trace, kernel) == call);
        CHECK(flow_target(trace, call) == trace.links[links.front()].to);
        const std::vector<SliceRef> chain = origin_chain(trace, kernel);
        REQUIRE(!chain.empty());
        CHECK(chain.back() == call);
        if (chain.size() > 1) CHECK(chain[chain.size() - 2] == parent_of(trace, call));
        CHECK(!parent_of(trace, chain.front()));
    }
    CHECK(launched > 0);
}

TEST_CASE("A kernel's chain leads to its caller; its operator's chain contains the kernel") {
    const Trace& trace = sample();
    std::size_t kernels = 0;
    for (const Link& link : trace.links) {
        if (link.kind != LinkKind::launch) continue;
        ++kernels;
        const std::vector<SliceRef> chain = chain_of(trace, link.to);
        std::vector<SliceRef> expected = origin_chain(trace, link.to);
        expected.push_back(link.to);
        CHECK(chain == expected);
        const std::vector<SliceRef> of_call = chain_of(trace, link.from);
        CHECK(std::ranges::find(of_call, link.to) != of_call.end());
        CHECK(std::ranges::find(of_call, link.from) != of_call.end());
        const SliceRef op = parent_of(trace, link.from);
        if (!op) continue;
        const std::vector<SliceRef> of_op = chain_of(trace, op);
        for (const SliceRef member : {op, link.from, link.to})
            CHECK(std::ranges::count(of_op, member) == 1);
    }
    CHECK(kernels > 50);
}

TEST_CASE("Slices without GPU work, or with too much, have no chain") {
    const auto cpu = load_trace(
        LANESCOPE_ROOT "/assets/samples/torch_cpu/transformer_train_shapes_memory_flops.json.gz");
    REQUIRE(cpu);
    for (LaneId lane = 0; lane < (*cpu)->lanes.size(); ++lane)
        for (uint32_t i = 0; i < (*cpu)->lanes[lane].slice_count; i += 97)
            CHECK(chain_of(**cpu, {lane, i}).empty());
    CHECK(chain_of(sample(), {}).empty());
}
