#include "core/analysis/flame/flame_tree.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "core/analysis/flame/flame_sources.h"
#include "core/base/intervals.h"
#include "tests/core/analysis/flame/flame_text.h"
#include "tests/core/analysis/gpu_trace_maker.h"
#include "tests/core/trace_maker.h"

namespace lanescope {

namespace {

using testing::flame_text;
using testing::GpuTraceMaker;

FlameQuery query_of(FlameSource source) {
    FlameQuery query;
    query.source = source;
    return query;
}

std::string flames(const TracePtr& trace, const FlameQuery& query, bool begins = false) {
    return flame_text(*trace, make_flame_tree(TraceContext(trace), query), begins);
}

// Two steps with operators, one of which calls itself.
TracePtr two_steps() {
    TraceMaker maker;
    maker.process("1", "python");
    maker.lane({{{0, 100, "ProfilerStep#1", "user_annotation"},
                 {10, 30, "mm"},
                 {15, 20, "copy"},
                 {50, 10, "copy"},
                 {100, 100, "ProfilerStep#2", "user_annotation"},
                 {120, 50, "mm"},
                 {130, 30, "mm"},
                 {135, 5, "copy"}}});
    return maker.finish();
}

}  // namespace

TEST_CASE("equal stacks are merged, the heaviest first; steps count as one name") {
    CHECK(flames(two_steps(), {}) ==
          "ProfilerStep 200 110 2\n"
          "  mm 80 30 2\n"
          "    mm 30 25 1\n"
          "      copy 5 5 1\n"
          "    copy 20 20 1\n"
          "  copy 10 10 1\n");
}

TEST_CASE("a range clips calls, and keeps what runs around it") {
    FlameQuery query;
    query.table.range = TimeRange{30, 132};
    CHECK(flames(two_steps(), query) ==
          "ProfilerStep 102 70 2\n"
          "  mm 22 15 2\n"
          "    copy 5 5 1\n"
          "    mm 2 2 1\n"
          "  copy 10 10 1\n");
    query.table.range = TimeRange{1000, 2000};
    CHECK(flames(two_steps(), query).empty());
}

TEST_CASE("a selected slice limits the tree to what is inside it") {
    const TracePtr trace = two_steps();
    FlameQuery query;
    query.within = {0, 4};  // by depth, then by start: the second mm
    REQUIRE(trace->start(query.within) == 120);
    CHECK(flames(trace, query) == "mm 50 20 1\n  mm 30 25 1\n    copy 5 5 1\n");
}

TEST_CASE("in order of time every call has a box, beginning at the time before it") {
    FlameQuery query;
    query.order = FlameOrder::time;
    CHECK(flames(two_steps(), query, true) ==
          "ProfilerStep @0 100 60 1\n"
          "  mm @10 30 10 1\n"
          "    copy @15 20 20 1\n"
          "  copy @50 10 10 1\n"
          "ProfilerStep @100 100 50 1\n"
          "  mm @120 50 20 1\n"
          "    mm @130 30 25 1\n"
          "      copy @135 5 5 1\n");
}

TEST_CASE("in order of time threads follow each other, each below its name") {
    TraceMaker maker;
    maker.process("1", "python");
    maker.lane({{{0, 10, "a"}, {50, 10, "b"}}});
    maker.lane({{{5, 20, "c"}}});
    const TracePtr trace = maker.finish();
    FlameQuery query;
    query.order = FlameOrder::time;
    CHECK(flames(trace, query, true) ==
          "lane 0 @0 20 0 0\n  a @0 10 10 1\n  b @10 10 10 1\n"
          "lane 1 @20 20 0 0\n  c @20 20 20 1\n");
    query.table.range = TimeRange{30, 60};  // the second thread has nothing there
    CHECK(flames(trace, query, true) == "b @0 10 10 1\n");
    query.table.range.reset();
    query.lanes = {1};
    CHECK(flames(trace, query, true) == "c @0 20 20 1\n");
    query.order = FlameOrder::heavy;
    CHECK(flames(trace, {}) == "c 20 20 1\na 10 10 1\nb 10 10 1\n");
}

TEST_CASE("a call that outlives its caller continues without it") {
    TraceMaker maker;
    maker.process("1", "program");
    maker.lane({{{0, 10, "a"}, {5, 15, "b"}, {8, 4, "c"}}});
    const TracePtr trace = maker.finish();
    // 0 … 5 a, 5 … 8 a;b, 8 … 10 a;b;c, 10 … 12 b;c, 12 … 20 b
    CHECK(flames(trace, {}) == "a 10 5 1\n  b 5 3 1\n    c 2 2 1\nb 10 8 0\n  c 2 2 0\n");
}

TEST_CASE("calls of zero length have no width, but count") {
    TraceMaker maker;
    maker.process("1", "program");
    maker.lane({{{0, 10, "a"}, {4, 0, "mark"}, {10, 0, "end"}}});
    CHECK(flames(maker.finish(), {}) == "a 10 10 1\n  mark 0 0 1\nend 0 0 1\n");
}

TEST_CASE("each source shows its own classes") {
    TraceMaker maker;
    maker.process("1", "python");
    maker.lane({{{0, 100, "train.py(3): step", "python_function"},
                 {10, 80, "nn.Module: Linear_0", "python_function"},
                 {20, 50, "aten::linear"},
                 {30, 20, "cudaLaunchKernel", "cuda_runtime"}}});
    const TracePtr trace = maker.finish();
    CHECK(flames(trace, {}) == "aten::linear 50 30 1\n  cudaLaunchKernel 20 20 1\n");
    CHECK(flames(trace, query_of(FlameSource::python)) ==
          "train.py(3): step 100 20 1\n  nn.Module: Linear_0 80 80 1\n");
    CHECK(flames(trace, query_of(FlameSource::modules)) == "nn.Module: Linear_0 80 80 1\n");
    CHECK(missing_for_flame(*trace, FlameSource::modules).empty());
    CHECK(!missing_for_flame(*trace, FlameSource::samples).empty());
    CHECK(!missing_for_flame(*trace, FlameSource::gpu).empty());
    CHECK(first_flame_source(*trace) == FlameSource::calls);
}

TEST_CASE("calls of a program in Python alone are its Python frames") {
    TraceMaker maker;
    maker.process("1", "python");
    maker.lane(
        {{{0, 100, "a.py(3): f", "python_function"}, {10, 80, "a.py(9): g", "python_function"}}});
    maker.lane({{{0, 200, "PyTorch Profiler (0)", "Trace"}}});  // the profiler's own
    CHECK(flames(maker.finish(), {}) == "a.py(3): f 100 20 1\n  a.py(9): g 80 80 1\n");
}

TEST_CASE("GPU work is below the calls that launched it") {
    const TracePtr trace = GpuTraceMaker()
                               .call("aten::mm", 0, 30, 0, 1, "cpu_op")
                               .call("cudaLaunchKernel", 5, 5, 1)
                               .call("cudaLaunchKernel", 15, 5, 2)
                               .call("cudaMemcpyAsync", 40, 5, 3)
                               .work("gemm", 100, 40, 1)
                               .work("gemm", 150, 60, 2)
                               .work("copy", 220, 10, 3, 8, "gpu_memcpy")
                               .work("lost", 240, 3, 99)
                               .load();
    FlameQuery query;
    query.source = FlameSource::gpu;
    CHECK(flames(trace, query) ==
          "aten::mm 100000 0 1\n  cudaLaunchKernel 100000 0 2\n    gemm 100000 100000 2\n"
          "cudaMemcpyAsync 10000 0 1\n  copy 10000 10000 1\n"
          "launch not recorded 3000 0 0\n  lost 3000 3000 1\n");
    query.table.range = TimeRange{trace->origin + 120'000, trace->origin + 160'000};
    CHECK(flames(trace, query) ==
          "aten::mm 30000 0 1\n  cudaLaunchKernel 30000 0 2\n    gemm 30000 30000 2\n");
    query.table.range.reset();
    query.order = FlameOrder::time;
    CHECK(flames(trace, query, true) ==
          "aten::mm @0 100000 0 2\n"
          "  cudaLaunchKernel @0 40000 0 1\n    gemm @0 40000 40000 1\n"
          "  cudaLaunchKernel @40000 60000 0 1\n    gemm @40000 60000 60000 1\n"
          "cudaMemcpyAsync @100000 10000 0 1\n  copy @100000 10000 10000 1\n"
          "launch not recorded @110000 3000 0 0\n  lost @110000 3000 3000 1\n");
}

TEST_CASE("a selected call limits GPU work to what was launched inside it") {
    const TracePtr trace = GpuTraceMaker()
                               .call("train", 0, 60, 0, 1, "user_annotation")
                               .call("aten::mm", 5, 20, 0, 1, "cpu_op")
                               .call("cudaLaunchKernel", 10, 5, 1)
                               .call("cudaLaunchKernel", 40, 5, 2)
                               .work("gemm", 100, 40, 1)
                               .work("add", 150, 60, 2)
                               .load();
    FlameQuery query;
    query.source = FlameSource::gpu;
    for (LaneId lane = 0; lane < trace->lanes.size(); ++lane)
        for (uint32_t i = 0; i < trace->lanes[lane].slice_count; ++i)
            if (trace->name({lane, i}) == "aten::mm") query.within = {lane, i};
    CHECK(flames(trace, query) ==
          "aten::mm 40000 0 1\n  cudaLaunchKernel 40000 0 1\n    gemm 40000 40000 1\n");
    query.within = trace->gpu_activities.slice[1];
    CHECK(flames(trace, query) == "add 60000 60000 1\n");
}

TEST_CASE("samples weigh as many as were taken, or the time that they represent") {
    TraceMaker maker;
    maker.process("1", "program");
    const LaneId lane = maker.lane(
        {{{0, 100, "main", kSampleCategory}, {0, 60, "work", kSampleCategory}}}, LaneKind::samples);
    SampledCalls& calls = maker.trace().sampled_calls;
    for (const auto& [index, samples, time] : {std::tuple{0U, 10, 90}, std::tuple{1U, 7, 63}}) {
        calls.slice.push_back({lane, index});
        calls.samples.push_back(samples);
        calls.cpu_time.push_back(time);
        calls.module.push_back(0);
    }
    const TracePtr trace = maker.finish();
    FlameQuery query;
    query.source = FlameSource::samples;
    query.weight = FlameWeight::samples;
    CHECK(flames(trace, query) == "main 10 3 1\n  work 7 7 1\n");
    query.weight = FlameWeight::time;
    CHECK(flames(trace, query) == "main 90 27 1\n  work 63 63 1\n");
    // A slice partly in the range has samples in proportion.
    query.weight = FlameWeight::samples;
    query.table.range = TimeRange{50, 100};  // 5 of main's 10; 10 of 60 ns of work: 1.17 of 7
    CHECK(flames(trace, query) == "main 5 4 1\n  work 1 1 1\n");
    query.table.range.reset();
    query.within = {lane, 1};
    CHECK(flames(trace, query) == "work 7 7 1\n");
}

namespace {

// The time that at least one slice of the source covers, from a sorted list of all of them.
Nanos covered(const Trace& trace, FlameSource source, TimeRange range) {
    Nanos sum = 0;
    for (LaneId lane = 0; lane < trace.lanes.size(); ++lane) {
        std::vector<TimeRange> all;
        for (uint32_t i = 0; i < trace.lanes[lane].slice_count; ++i) {
            const EventClass c = trace.event_class({lane, i});
            const bool python = c == EventClass::python || c == EventClass::module;
            if (python != (source == FlameSource::python)) continue;
            all.push_back({std::max(trace.start({lane, i}), range.begin),
                           std::min(trace.slice_end({lane, i}), range.end)});
        }
        std::ranges::sort(all, {}, &TimeRange::begin);
        Nanos reached = INT64_MIN;
        for (const TimeRange& r : all) {
            sum += std::max<Nanos>(0, r.end - std::max(r.begin, reached));
            reached = std::max(reached, r.end);
        }
    }
    return sum;
}

void check_sums(const TracePtr& trace, const FlameQuery& query) {
    const FlameTree tree = make_flame_tree(TraceContext(trace), query);
    int64_t self = 0;
    for (const FlameNode& node : tree.nodes) self += node.self;
    int64_t roots = 0;
    for (const FlameNode& node : tree.children(tree.root())) roots += node.total;
    CHECK(self == roots);
    CHECK(roots == tree.root().total);
    CHECK(roots == covered(*trace, query.source, *query.table.range));
    for (uint32_t i = 1; i < tree.nodes.size(); ++i) {
        const FlameNode& node = tree.nodes[i];
        const FlameNode& parent = tree.nodes[node.parent];
        const bool inside =
            node.begin >= parent.begin && node.begin + node.total <= parent.begin + parent.total;
        if (!inside) FAIL_CHECK("node ", i, " is not inside its parent");
        const bool follows = i == parent.first_child ||
                             tree.nodes[i - 1].begin + tree.nodes[i - 1].total <= node.begin;
        if (!follows) FAIL_CHECK("node ", i, " overlaps its neighbour");
    }
}

}  // namespace

TEST_CASE("weights add up to the time that calls cover, in random lanes and ranges") {
    std::mt19937_64 random(7);
    for (const Spread spread : kSpreads) {
        for (int round = 0; round < 6; ++round) {
            TraceMaker maker;
            maker.process("1", "program");
            for (int lane = 0; lane < 2; ++lane) {
                std::vector<TestSlice> slices;
                for (int row = 0; row < 3; ++row)
                    for (const TestSlice& slice : random_row(random, 100, spread, 1000))
                        slices.push_back(slice);
                maker.lane({slices});
            }
            const TracePtr trace = maker.finish();
            Nanos end = 1000;
            for (const FlameSource source : {FlameSource::calls, FlameSource::python}) {
                for (uint32_t i = 0; i < trace->lanes[0].slice_count; ++i)
                    end = std::max(end, trace->slice_end({0, i}));
                for (const TimeRange range :
                     {kAllTime, TimeRange{1000 + (end - 1000) / 3, end - (end - 1000) / 4}}) {
                    for (const FlameOrder order : {FlameOrder::heavy, FlameOrder::time}) {
                        CAPTURE(static_cast<int>(spread));
                        CAPTURE(round);
                        FlameQuery query;
                        query.source = source;
                        query.order = order;
                        query.table.range = range;
                        check_sums(trace, query);
                    }
                }
            }
        }
    }
}

TEST_CASE("in order of time, the shortest of too many calls are part of their callers") {
    TraceMaker maker;
    maker.process("1", "program");
    constexpr Nanos kShort = 1500;
    constexpr auto kLong = static_cast<Nanos>(kMostTimedCalls) - 1000;
    std::vector<TestSlice> slices = {{0, 2 * kShort + 3 * kLong, "main"}};
    for (Nanos i = 0; i < kShort; ++i) slices.push_back({2 * i, 1, "short"});
    for (Nanos i = 0; i < kLong; ++i) slices.push_back({2 * kShort + 3 * i, 2, "long"});
    maker.lane({slices});
    const TracePtr trace = maker.finish();
    FlameQuery query;
    query.order = FlameOrder::time;
    const FlameTree tree = make_flame_tree(TraceContext(trace), query);
    CHECK(tree.left_out == 2);
    CHECK(tree.nodes.size() == kLong + 2);
    CHECK(tree.root().total == 2 * kShort + 3 * kLong);
}

}  // namespace lanescope
