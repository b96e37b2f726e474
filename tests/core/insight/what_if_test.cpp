#include "core/insight/what_if.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "core/analysis/critical_path/critical_path.h"
#include "core/analysis/critical_path/dependency_graph.h"
#include "core/analysis/kernels/kernels.h"
#include "tests/core/analysis/gpu_trace_maker.h"
#include "tests/core/real_traces.h"

namespace lanescope {

namespace {

using testing::GpuTraceMaker;

// Two streams: the host waits for the long kernel of stream 7, not for the short one of stream 8.
GpuTraceMaker two_streams() {
    return GpuTraceMaker()
        .call("ProfilerStep#1", 0, 100, 0, 1, "user_annotation")
        .call("aten::mm", 5, 10, 0, 1, "cpu_op")
        .call("cudaLaunchKernel", 6, 4, 1)
        .work("long", 12, 60, 1, 7)
        .call("aten::add", 16, 10, 0, 1, "cpu_op")
        .call("cudaLaunchKernel", 17, 4, 2)
        .work("short", 24, 20, 2, 8)
        .call("cudaDeviceSynchronize", 30, 46);
}

double new_step(const TraceContext& context, std::string_view kernel, ChangeKind kind,
                double factor) {
    Result<Change> change = change_of(context, ChangeOf::kernels, std::string(kernel));
    REQUIRE(change);
    change->kind = kind;
    change->factor = factor;
    return what_if(context, {}, *change).new_step_ns / 1000;
}

// The longest path to a node, by exhaustive search.
Nanos longest_way(const DependencyGraph& graph, uint32_t node, double kernel_factor) {
    const DependencyRow& row = graph.row_of(node);
    const std::span<const Dependency> listed = graph.dependencies_of(row, node);
    if (listed.empty()) {
        if (node == row.begin) return graph.time[node];
        const Nanos weight = graph.time[node] - graph.time[node - 1];
        const bool kernel = static_cast<PathPart>(graph.part[node]) == PathPart::kernel;
        return longest_way(graph, node - 1, kernel_factor) +
               (kernel ? std::llround(static_cast<double>(weight) / kernel_factor) : weight);
    }
    Nanos longest = INT64_MIN;
    for (const Dependency& one : listed)
        longest = std::max(longest, one.from == node
                                        ? graph.time[node]
                                        : longest_way(graph, one.from, kernel_factor) + one.weight);
    return longest;
}

TracePtr random_trace(std::mt19937_64& random) {
    const auto up_to = [&](int limit) { return static_cast<int>(random() % limit); };
    GpuTraceMaker maker;
    int t = 0;
    int free[2] = {0, 0};
    const int count = 3 + up_to(6);
    for (int i = 1; i <= count; ++i) {
        t += up_to(20);
        const int duration = 3 + up_to(10);
        maker.call("aten::op", t, duration, 0, 1, "cpu_op").call("cudaLaunchKernel", t + 1, 2, i);
        const int stream = up_to(2);
        const int start = std::max(free[stream] + up_to(3), t + 2 + up_to(5));
        free[stream] = start + up_to(60);
        maker.work("k", start, free[stream] - start, i, 7 + stream);
        t += duration;
        if (up_to(3) > 0) continue;
        const int end = std::max({t, free[0], free[1]}) + 1 + up_to(4);
        maker.call("cudaDeviceSynchronize", t, end - t);
        t = end;
    }
    return maker.load();
}

}  // namespace

TEST_CASE("what-if: a kernel that the CPU waits for, and another") {
    const TraceContext context(two_streams().load());
    CHECK(new_step(context, "long", ChangeKind::faster, 1) == 100);
    CHECK(new_step(context, "long", ChangeKind::faster, 1.5) == 80);
    // 12 + 60 / 2 = 42: now the other stream delays the host until 44, 28 earlier than before.
    CHECK(new_step(context, "long", ChangeKind::faster, 2) == 72);
    CHECK(new_step(context, "long", ChangeKind::faster, 4) == 72);
    CHECK(new_step(context, "short", ChangeKind::faster, 2) == 100);
    CHECK(new_step(context, "short", ChangeKind::fused, 1) == 100);
    // Off the path until it becomes critical: the long one ends at 24 + 48 = 72.
    CHECK(new_step(context, "short", ChangeKind::faster, 20.0 / 48) == 100);
    CHECK(new_step(context, "short", ChangeKind::faster, 20.0 / 50) == 102);
}

TEST_CASE("what-if: a kernel that ends with another one delays the host as long") {
    const TraceContext context(GpuTraceMaker()
                                   .call("ProfilerStep#1", 0, 100, 0, 1, "user_annotation")
                                   .call("cudaLaunchKernel", 6, 4, 1)
                                   .work("one", 12, 60, 1, 7)
                                   .call("cudaLaunchKernel", 17, 4, 2)
                                   .work("other", 24, 48, 2, 8)
                                   .call("cudaDeviceSynchronize", 30, 46)
                                   .load());
    CHECK(new_step(context, "one", ChangeKind::faster, 2) == 100);
    CHECK(new_step(context, "other", ChangeKind::faster, 2) == 100);
}

TEST_CASE("what-if: operators, launches and graphs") {
    const TraceContext context(GpuTraceMaker()
                                   .call("ProfilerStep#1", 0, 100, 0, 1, "user_annotation")
                                   .call("aten::mm", 10, 40, 0, 1, "cpu_op")
                                   .call("cudaLaunchKernel", 20, 10, 1)
                                   .work("k", 35, 5, 1)
                                   .load());
    Result<Change> change = change_of(context, ChangeOf::operators, "^aten::mm$");
    REQUIRE(change);
    CHECK(change->activities.size() == 1);
    CHECK(what_if(context, {}, *change).new_step_ns == 80'000);
    CHECK(what_if(context, {}, *change).path_ns == 40'000);
    change->factor = std::numeric_limits<double>::infinity();
    CHECK(what_if(context, {}, *change).new_step_ns == 60'000);
    change->kind = ChangeKind::launch_free;
    CHECK(what_if(context, {}, *change).new_step_ns == 90'000);
    change->kind = ChangeKind::graph;
    CHECK(what_if(context, {}, *change).new_step_ns == 60'000);
}

TEST_CASE("what-if: expressions that are invalid or match nothing") {
    const TraceContext context(two_streams().load());
    CHECK(!change_of(context, ChangeOf::kernels, "("));
    CHECK(!change_of(context, ChangeOf::kernels, "aten::mm"));
    CHECK(!change_of(context, ChangeOf::operators, "short"));
    const TraceContext empty(testing::loaded(
        R"({"traceEvents":[{"ph":"C","name":"c","pid":1,"ts":1,"args":{"v":1}}]})"));
    CHECK(what_if(empty, {}, {}).steps == 0);
    CHECK(what_helps_table(empty, {}, 2, 5).row_count() == 0);
}

TEST_CASE("what-if: the longest path equals exhaustive search on random graphs") {
    std::mt19937_64 random(7);
    for (int i = 0; i < 200; ++i) {
        const TraceContext context(random_trace(random));
        const DependencyGraph& graph = context.get<DependencyGraph>();
        Change change;
        for (uint32_t row = 0; row < graph.activity.size(); ++row) change.activities.push_back(row);
        for (const double factor : {1.0, 0.5, 2.0, 7.0}) {
            change.factor = factor;
            const std::vector<Nanos> reached = replay(context, change);
            for (uint32_t node = 0; node < reached.size(); ++node)
                REQUIRE(reached[node] == longest_way(graph, node, factor));
            if (factor == 1.0)
                for (uint32_t node = 0; node < reached.size(); ++node) {
                    CAPTURE(node);
                    REQUIRE(reached[node] == graph.time[node]);
                }
        }
    }
}

TEST_CASE("what-if: faster work never lengthens the step, in all traces") {
    std::size_t asked = 0;
    const std::vector<std::string> names = testing::torch_traces_and_samples();
    for (const std::string& name : names) {
        CAPTURE(name);
        const TracePtr trace = testing::load_real_trace(name);
        if (!trace) return;
        const TraceContext context(trace);
        const DependencyGraph& graph = context.get<DependencyGraph>();
        if (graph.activity.empty()) continue;
        // Every kernel, and the kernels of the name with most time.
        Change all;
        for (uint32_t row = 0; row < graph.activity.size(); ++row) all.activities.push_back(row);
        for (Change change :
             {all, change_like(context, context.get<AllKernels>().rows.front().longest)}) {
            const auto step_with = [&](ChangeKind kind, double factor) {
                change.kind = kind;
                change.factor = factor;
                return what_if(context, {}, change);
            };
            const WhatIf same = step_with(ChangeKind::faster, 1);
            if (same.steps == 0) break;
            ++asked;
            CHECK(same.new_step_ns == same.step_ns);
            double before = same.new_step_ns;
            for (const double factor : {1.5, 2.0, 10.0, 1e6}) {
                const double now = step_with(ChangeKind::faster, factor).new_step_ns;
                CHECK(now <= before + 0.5 * static_cast<double>(graph.activity.size()));
                before = now;
            }
            const double never =
                step_with(ChangeKind::faster, std::numeric_limits<double>::infinity()).new_step_ns;
            CHECK(step_with(ChangeKind::faster, 1e15).new_step_ns == never);
            CHECK(never <= before);
            // Fusing also removes the path to the kernel.
            CHECK(step_with(ChangeKind::fused, 1).new_step_ns <= never);
            CHECK(step_with(ChangeKind::launch_free, 1).new_step_ns <= same.step_ns);
        }
    }
    CHECK(asked > (testing::has_real_traces() ? 10 : 0));
}

TEST_CASE("what-if: replays of all traces") {
    for (const std::string& name : testing::torch_traces_and_samples()) {
        CAPTURE(name);
        const TracePtr trace = testing::load_real_trace(name);
        if (!trace) return;
        const TraceContext context(trace);
        const DependencyGraph& graph = context.get<DependencyGraph>();
        const std::vector<Nanos> reached = replay(context, {});
        CHECK(std::ranges::equal(reached, graph.time));
        Change change;
        for (uint32_t row = 0; row < graph.activity.size(); ++row) change.activities.push_back(row);
        const std::vector<Nanos> faster = replay(context, change);
        bool later = false;
        for (uint32_t node = 0; node < faster.size(); ++node)
            later = later || faster[node] > graph.time[node];
        CHECK(!later);
        // Nothing saves more than its time on the paths, if steps do not overlap.
        const WhatIf result = what_if(context, {}, change);
        if (result.steps == 1) CHECK(result.saved_ns() <= result.path_ns);
    }
}

}  // namespace lanescope
