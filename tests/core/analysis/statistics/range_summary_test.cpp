#include "core/analysis/statistics/range_summary.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <utility>

#include "core/analysis/structure/lanes.h"
#include "core/ingest/load.h"
#include "core/trace/query.h"
#include "tests/core/analysis/gpu_trace_maker.h"
#include "tests/core/real_traces.h"
#include "tests/core/trace_maker.h"

using namespace lanescope;
using lanescope::testing::GpuTraceMaker;

namespace {

TracePtr sample() {
    static const TracePtr trace = [] {
        auto loaded = load_trace(LANESCOPE_ROOT "/assets/samples/synthetic_step.json.gz");
        REQUIRE(loaded);
        return *loaded;
    }();
    return trace;
}

struct Sum {
    uint64_t count = 0;
    Nanos total = 0;
    Nanos self = 0;
    Nanos longest = 0;
};
using Sums = std::map<std::pair<StringId, CategoryId>, Sum>;

// Slice by slice, using query.h.
Sums counted(const Trace& trace, const RangeQuery& query) {
    Sums sums;
    for (LaneId lane = 0; lane < trace.lanes.size(); ++lane) {
        if (!query.lanes.empty() && std::ranges::count(query.lanes, lane) == 0) continue;
        for (uint32_t i = 0; i < trace.lanes[lane].slice_count; ++i) {
            const SliceRef slice{lane, i};
            if (!query.time.contains(trace.start(slice))) continue;
            const auto [chunk, local] = trace.lanes[lane].locate(i);
            Sum& sum = sums[{chunk->name[local], chunk->category[local]}];
            ++sum.count;
            sum.total += trace.duration(slice);
            sum.self += self_time(trace, slice);
            sum.longest = std::max(sum.longest, trace.duration(slice));
        }
    }
    return sums;
}

void check_names(const TraceContext& context, const RangeQuery& query) {
    const Trace& trace = context.trace();
    const RangeSummary summary = summarise_range(context, query);
    const Sums expected = counted(trace, query);
    REQUIRE(summary.names.size() == expected.size());
    uint64_t slices = 0;
    for (std::size_t i = 0; i < summary.names.size(); ++i) {
        const NameInRange& sum = summary.names[i];
        const Sum& right = expected.at({sum.name, sum.category});
        CHECK(sum.count == right.count);
        CHECK(sum.total == right.total);
        CHECK(sum.self == right.self);
        CHECK(trace.duration(sum.longest) == right.longest);
        CHECK(trace.name_id(sum.longest) == sum.name);
        if (i > 0) CHECK(summary.names[i - 1].total >= sum.total);
        slices += sum.count;
    }
    CHECK(summary.slices == slices);
    uint64_t of_lanes = 0;
    for (const LaneInRange& lane : summary.lanes) {
        of_lanes += lane.count;
        CHECK(lane.busy == busy_time(trace, trace.lanes[lane.lane], query.time));
    }
    CHECK(of_lanes == slices);
}

}  // namespace

TEST_CASE("names in a range: counts, totals and self times are those of each slice") {
    const TraceContext context(sample());
    const Trace& trace = context.trace();
    const Nanos length = trace.end - trace.origin;
    check_names(context, {{trace.origin, trace.end + 1}, {}});
    for (int part = 0; part < 8; ++part) {
        const TimeRange time{trace.origin + length * part / 10,
                             trace.origin + length * (part + 2) / 10};
        check_names(context, {time, {}});
        check_names(context, {time, {0}});
        check_names(context, {time, {1, static_cast<LaneId>(trace.lanes.size() - 1)}});
    }
}

TEST_CASE("parents and children in different chunks, and partial overlaps, keep their self times") {
    TraceMaker maker;
    maker.process("1", "python");
    maker.lane({{{0, 100, "outer"}, {10, 20, "inner"}, {40, 100, "over"}},
                {{200, 100, "outer"}, {210, 50, "inner"}, {220, 10, "leaf"}}});
    const TraceContext context(maker.finish());
    check_names(context, {{0, 1000}, {}});
    check_names(context, {{5, 215}, {}});
    check_names(context, {{200, 205}, {}});
}

TEST_CASE("a device is busy while any of the marked streams works, else idle") {
    // Streams 7 and 8 overlap from 20 to 30.
    const TracePtr trace = GpuTraceMaker()
                               .call("cudaLaunchKernel", 0, 5, 1)
                               .work("a", 10, 20, 1, 7)
                               .work("b", 20, 20, 2, 8)
                               .work("c", 90, 10, 3, 7)
                               .load();
    const TraceContext context(trace);
    const Nanos us = 1000;
    const auto lane_of = [&](std::string_view tid) {
        for (LaneId lane = 0; lane < trace->lanes.size(); ++lane)
            if (trace->lanes[lane].kind == LaneKind::stream &&
                trace->strings[trace->lanes[lane].tid] == tid)
                return lane;
        return SliceRef::no_index;
    };
    const Nanos zero = trace->origin;
    const auto busy = [&](Nanos from, Nanos to, std::vector<LaneId> lanes) {
        const TimeRange time{zero + from * us, zero + to * us};
        const RangeSummary summary = summarise_range(context, {time, std::move(lanes)});
        REQUIRE(summary.devices.size() == 1);
        CHECK(summary.devices[0].busy + summary.devices[0].idle == time.length());
        return summary.devices[0].busy / us;
    };
    CHECK(busy(0, 100, {}) == 40);
    CHECK(busy(0, 100, {lane_of("7")}) == 30);
    CHECK(busy(0, 100, {lane_of("8")}) == 20);
    CHECK(busy(25, 95, {}) == 20);
    CHECK(busy(50, 60, {}) == 0);
    // A selected thread says nothing about streams: the whole device is shown.
    CHECK(busy(0, 100, {0}) == 40);
}

TEST_CASE("an empty range gives an empty result, not an error") {
    const TraceContext context(sample());
    const Trace& trace = context.trace();
    const RangeSummary before = summarise_range(context, {{trace.origin - 10, trace.origin}, {}});
    CHECK(before.slices == 0);
    CHECK(before.names.empty());
    CHECK(before.lanes.empty());
    for (const GpuInRange& gpu : before.devices) CHECK(gpu.idle == 10);
    CHECK(count_slices(trace, {{trace.origin - 10, trace.origin}, {}}) == 0);
}

TEST_CASE("a slice counts in the range in which it begins, and in no other") {
    TraceMaker maker;
    maker.process("1", "program");
    maker.lane({{{0, 10}, {10, 10}, {20, 10}}});
    const TracePtr trace = maker.finish();
    CHECK(count_slices(*trace, {{10, 20}, {}}) == 1);
    CHECK(count_slices(*trace, {{9, 20}, {}}) == 1);
    CHECK(count_slices(*trace, {{10, 21}, {}}) == 2);
    CHECK(count_slices(*trace, {{9, 21}, {}}) == 2);
    CHECK(count_slices(*trace, {{11, 20}, {}}) == 0);
    CHECK(count_slices(*trace, {{10, 10}, {}}) == 0);
}

TEST_CASE("a range counts each slice once: as its summary does, and as a walk over all slices") {
    for (const std::string& name : testing::traces_here(
             {"synthetic_step.json.gz", "torch/h100_bert_small.json.gz",
              "torch/v100_ns_absolute_ts.json.gz", "chrome/bazel_queuing.json.gz"})) {
        CAPTURE(name);
        const TracePtr trace = testing::load_real_trace(name);
        REQUIRE(trace);
        const TraceContext context(trace);
        std::vector<LaneId> odd;
        uint64_t all = 0;
        for (LaneId lane = 0; lane < trace->lanes.size(); ++lane) {
            if (lane % 2 == 1) odd.push_back(lane);
            all += trace->lanes[lane].slice_count;
        }
        constexpr int kParts = 7;
        uint64_t together = 0;
        for (int part = 0; part < kParts; ++part) {
            const Nanos length = trace->end + 1 - trace->origin;
            const TimeRange time{trace->origin + length * part / kParts,
                                 trace->origin + length * (part + 1) / kParts};
            const RangeSummary summary = summarise_range(context, {time, {}});
            CHECK(count_slices(*trace, {time, {}}) == summary.slices);
            CHECK(count_slices(*trace, {time, odd}) ==
                  summarise_range(context, {time, odd}).slices);
            uint64_t begin_in_it = 0;
            for (const auto& [key, sum] : counted(*trace, {time, {}})) begin_in_it += sum.count;
            CHECK(summary.slices == begin_in_it);
            together += summary.slices;
        }
        CHECK(together == all);
    }
}

TEST_CASE("slices are counted in the lanes of a range only") {
    const TracePtr trace = sample();
    const TimeRange time{trace->origin, trace->end + 1};
    uint64_t together = 0;
    for (LaneId lane = 0; lane < trace->lanes.size(); ++lane) {
        CHECK(count_slices(*trace, {time, {lane}}) == trace->lanes[lane].slice_count);
        together += trace->lanes[lane].slice_count;
    }
    CHECK(count_slices(*trace, {time, {}}) == together);
}
