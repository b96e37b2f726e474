#include "core/insight/what_if/what_if.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <string>

#include "core/analysis/critical_path/critical_path.h"
#include "core/analysis/critical_path/dependency_graph.h"
#include "core/analysis/kernels/kernels.h"
#include "tests/core/analysis/gpu_trace_maker.h"
#include "tests/core/ingest/loaded_text.h"
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

std::string text_in(const Table& table, std::size_t row, std::string_view column) {
    const Cell cell = table.cell(row, *find_column(table.spec(), column));
    const auto* const text = std::get_if<std::string_view>(&cell);
    return text ? std::string(*text) : std::string();
}

// By "part name": the time that is saved if each cost takes half of its time, in µs. `step`: µs.
std::map<std::string, double> saved_by_halving(const TraceContext& context, double step) {
    const Table table = what_helps_table(context, {}, 2, 100'000);
    std::map<std::string, double> saved;
    for (std::size_t row = 0; row < table.row_count(); ++row) {
        const auto number = [&](std::string_view column) {
            const Cell cell = table.cell(row, *find_column(table.spec(), column));
            const auto* const known = std::get_if<double>(&cell);
            return known ? *known / 1000 : 0;
        };
        const std::string part = text_in(table, row, "part");
        if (part.empty()) continue;  // everything as a graph
        if (step > 1) CHECK(number("step_ns") == step);
        saved[part + " " + text_in(table, row, "what")] = number("saved_ns");
    }
    return saved;
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

TEST_CASE("what-if: every kind of time on the path has a row") {
    // Program 10, operator 2, launch 8, kernel 30, gap 2, kernel 10, synchronisation 4, program 34.
    const TraceContext context(GpuTraceMaker()
                                   .call("ProfilerStep#1", 0, 100, 0, 1, "user_annotation")
                                   .call("aten::mm", 10, 20, 0, 1, "cpu_op")
                                   .call("cudaLaunchKernel", 12, 4, 1)
                                   .work("k1", 20, 30, 1)
                                   .call("aten::add", 32, 6, 0, 1, "cpu_op")
                                   .call("cudaLaunchKernel", 33, 3, 2)
                                   .work("k2", 52, 10, 2)
                                   .call("cudaDeviceSynchronize", 50, 16)
                                   .load());
    const std::map<std::string, double> expected = {
        {"program ProfilerStep#1", 5},
        {"launch k1", 4},
        {"kernel k1", 11},  // then the launch of k2, 33 + 8, delays it
        {"gap k2", 1},
        {"kernel k2", 5},
        {"synchronisation cudaDeviceSynchronize", 2},
        {"program nothing recorded", 17},
    };
    std::map<std::string, double> saved = saved_by_halving(context, 100);
    CHECK(saved.contains("operator aten::mm"));
    saved.erase("operator aten::mm");
    CHECK(saved == expected);
}

TEST_CASE("what-if: a data loader counts with everything inside it, as itself and by its name") {
    const char* const loader = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__";
    const TraceContext context(GpuTraceMaker()
                                   .call("ProfilerStep#1", 0, 100, 0, 1, "user_annotation")
                                   .call(loader, 10, 60, 0, 1, "user_annotation")
                                   .call("aten::stack", 20, 40, 0, 1, "cpu_op")
                                   .call("aten::cat", 30, 20, 0, 1, "cpu_op")
                                   .call("aten::mm", 80, 10, 0, 1, "cpu_op")
                                   .load());
    CHECK(saved_by_halving(context, 100) ==
          std::map<std::string, double>{{std::string("data loading ") + loader, 30},
                                        {"operator aten::mm", 5},
                                        {"program ProfilerStep#1", 10},
                                        {"program nothing recorded", 5}});
    const Result<Change> change = change_of(context, ChangeOf::operators, "DataLoader");
    REQUIRE(change);
    CHECK(what_if(context, {}, *change).saved_ns() == 30'000);
    CHECK(what_if(context, {}, *change).path_ns == 60'000);
}

TEST_CASE("what-if: time of which nothing is known has a row, but no answer") {
    // The thread of the step has no calls.
    const TraceContext context(testing::loaded(R"([
        {"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","pid":5,"tid":1,"ts":0,"dur":100},
        {"ph":"X","cat":"cpu_op","name":"aten::mm","pid":5,"tid":2,"ts":60,"dur":30}])"));
    const Table table = what_helps_table(context, {}, 2, 50);
    const auto of_unknown = [&](std::string_view column) {
        for (std::size_t row = 0; row < table.row_count(); ++row)
            if (text_in(table, row, "part") == "unknown")
                return table.cell(row, *find_column(table.spec(), column));
        FAIL("there is no row");
        return Cell();
    };
    CHECK(std::get<double>(of_unknown("path_ns")) == 100'000);
    CHECK(std::get<std::string_view>(of_unknown("what")) == "nothing recorded");
    CHECK(std::holds_alternative<std::monostate>(of_unknown("saved_ns")));
    CHECK(std::holds_alternative<std::monostate>(of_unknown("saved")));
}

TEST_CASE("what-if: all that is on the paths of real traces has a row") {
    for (const std::string& name : testing::traces_here(
             {"synthetic_step.json.gz", "torch/h100_bert_small.json.gz",
              "torch/a100_alexnet_sync.json.gz", "torch/mi300_sglang_decode_graph.json.gz"})) {
        CAPTURE(name);
        const TracePtr trace = testing::load_real_trace(name);
        REQUIRE(trace);
        const TraceContext context(trace);
        const auto saved = saved_by_halving(context, 1);
        const Table paths = critical_path_by_name_table(context, {});
        for (std::size_t row = 0; row < paths.row_count(); ++row) {
            const std::string part(std::get<std::string_view>(paths.cell(row, 0)));
            const Cell what = paths.cell(row, 1);
            const auto* const text = std::get_if<std::string_view>(&what);
            if (part == "data loading") continue;  // counted with the loader around it
            const std::string key =
                part + " " + (text ? std::string(*text) : std::string("nothing recorded"));
            CAPTURE(key);
            CHECK(saved.contains(key));
        }
    }
    for (const std::string& name :
         testing::traces_here({"torch/h100_owlv2_shapes_stack_memory.json.gz"})) {
        const TracePtr owl = testing::load_real_trace(name);
        REQUIRE(owl);
        const Table table = what_helps_table(TraceContext(owl), {}, 2, 20);
        const auto number = [&](std::string_view column) {
            return std::get<double>(table.cell(0, *find_column(table.spec(), column)));
        };
        CHECK(text_in(table, 0, "part") == "data loading");
        CHECK(number("path_ns") / number("step_ns") == doctest::Approx(0.511).epsilon(0.001));
        CHECK(number("saved") == doctest::Approx(0.2556).epsilon(0.001));
    }
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
    const std::vector<std::string> names = testing::traces_of_slow_tests(1);
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
    const bool all = names.size() == testing::torch_traces_and_samples().size();
    // Every third sample alone may have no step with GPU work.
    if (all || testing::has_real_traces())
        CHECK(asked > (!testing::has_real_traces() ? 0 : all ? 10 : 3));
}

TEST_CASE("what-if: replays of all traces") {
    for (const std::string& name : testing::traces_of_slow_tests(1)) {
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
