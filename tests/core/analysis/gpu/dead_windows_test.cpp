#include "core/analysis/gpu/dead_windows.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "core/analysis/structure/lane_view.h"
#include "tests/core/analysis/gpu_trace_maker.h"
#include "tests/core/real_traces.h"
#include "tests/core/trace_maker.h"

namespace lanescope {

namespace {

using Ranges = std::vector<std::pair<Nanos, Nanos>>;

std::string name_or_dash(const Trace& trace, SliceRef slice) {
    return slice ? std::string(trace.name(slice)) : "-";
}

// "parent: after > before", by begin in µs.
std::map<Nanos, std::string> descriptions(const Trace& trace, std::span<const DeadWindow> windows) {
    std::map<Nanos, std::string> all;
    for (const DeadWindow& w : windows)
        all[(w.range.begin - trace.origin) / 1000] = std::string(trace.name(w.parent())) + ": " +
                                                     name_or_dash(trace, w.after()) + " > " +
                                                     name_or_dash(trace, w.before());
    return all;
}

struct Call {
    Nanos start, end;
    bool counts;
};

// From the events of a lane alone, without depths or trees: what begins inside a call is below it.
Ranges windows_by_events(const Trace& trace, const Lane& lane) {
    const LaneView view(lane);
    std::vector<Call> calls;
    for (uint32_t i = 0; i < view.size(); ++i) {
        const EventClass c = trace.categories[view.category(i)].event_class;
        calls.push_back(
            {view.start(i), view.end(i), c == EventClass::op || c == EventClass::annotation});
    }
    std::ranges::stable_sort(calls, {}, [](const Call& c) { return std::tuple(c.start, -c.end); });
    Ranges windows;
    for (std::size_t p = 0; p < calls.size(); ++p) {
        if (!calls[p].counts) continue;
        Nanos busy = calls[p].start;
        std::size_t i = p + 1;
        const auto add = [&](Nanos end) {
            if (end - busy >= 1000) windows.emplace_back(busy, end);
        };
        for (; i < calls.size() && calls[i].start < calls[p].end; ++i) {
            add(calls[i].start);
            busy = std::max(busy, calls[i].end);
        }
        if (i > p + 1) add(calls[p].end);
    }
    return windows;
}

}  // namespace

TEST_CASE("dead windows: before the first call, between calls, and the tail") {
    const TracePtr trace = testing::GpuTraceMaker()
                               .call("step", 0, 100, 0, 1, "user_annotation")
                               .call("aten::linear", 10, 40, 0, 1, "cpu_op")
                               .call("aten::t", 12, 3, 0, 1, "cpu_op")
                               .call("aten::addmm", 15, 20, 0, 1, "cpu_op")
                               .call("cudaLaunchKernel", 20, 15, 1)
                               .call("run.py(1): train", 60, 30, 0, 1, "python_function")
                               .call("aten::relu", 65, 5, 0, 1, "cpu_op")
                               .work("gemm", 30, 10, 1)
                               .load();
    const TraceContext context(trace);
    const std::map<Nanos, std::string> expected = {
        {0, "step: - > aten::linear"},
        {10, "aten::linear: - > aten::t"},
        {15, "aten::addmm: - > cudaLaunchKernel"},
        {35, "aten::linear: aten::addmm > -"},
        {50, "step: aten::linear > run.py(1): train"},
        {90, "step: run.py(1): train > -"},
    };
    const Column<DeadWindow> windows = dead_windows(context, {});
    CHECK(windows.size() == expected.size());
    CHECK(descriptions(*trace, windows) == expected);
    const Table table = dead_windows_table(context, {});
    REQUIRE(table.row_count() == windows.size());
    for (std::size_t i = 1; i < windows.size(); ++i)
        CHECK(table.target(i - 1).range.length() >= table.target(i).range.length());

    // A range clips them; one that was too short before is left out.
    const Nanos at = trace->origin;
    const Column<DeadWindow> cut = dead_windows(context, {TimeRange{at + 49'500, at + 50'500}});
    REQUIRE(cut.size() == 2);
    CHECK(cut[0].range == TimeRange{at + 49'500, at + 50'000});
    CHECK(cut[1].range == TimeRange{at + 50'000, at + 50'500});

    const Table by_parent = dead_windows_by_parent_table(context, {});
    REQUIRE(by_parent.row_count() == 3);
    CHECK(std::get<std::string_view>(by_parent.cell(0, 0)) == "step");
    CHECK(std::get<int64_t>(by_parent.cell(0, 1)) == 3);
    CHECK(std::get<int64_t>(by_parent.cell(0, 2)) == 30'000);
    CHECK(std::get<int64_t>(by_parent.cell(0, 4)) == 10'000);
    CHECK(by_parent.target(0).range == TimeRange{at, at + 10'000});
}

TEST_CASE("dead windows: from 1 µs on, and not where a longer call covers the time") {
    TraceMaker made;
    made.process("1", "python");
    made.lane({{{0, 10'000, "a"},
                {999, 2'001, "b"},
                {4'000, 3'000, "c"},
                {6'000, 3'000, "d"}}});  // begins in c, ends after it
    const TracePtr trace = made.finish();
    const Column<DeadWindow> windows = dead_windows(TraceContext(trace), {});
    // In a: from b to c, and from d to the end; in c: the time before d.
    Ranges ranges;
    for (const DeadWindow& w : windows) ranges.emplace_back(w.range.begin, w.range.end);
    std::ranges::sort(ranges);
    CHECK(ranges == Ranges{{3'000, 4'000}, {4'000, 6'000}, {9'000, 10'000}});
}

TEST_CASE("dead windows: none without calls") {
    const TracePtr trace = testing::GpuTraceMaker().call("aten::mm", 0, 9, 0, 1, "cpu_op").load();
    CHECK(dead_windows_table(TraceContext(trace), {}).row_count() == 0);
    CHECK(dead_windows_by_parent_table(TraceContext(trace), {}).row_count() == 0);
    CHECK(dead_windows(TraceContext(TraceMaker().finish()), {}).empty());
}

TEST_CASE("dead windows: equal those computed from the events of every trace") {
    const std::vector<std::string> names = testing::torch_traces_and_samples();
    std::size_t compared = 0;
    for (const std::string& name : names) {
        const TracePtr trace = testing::load_real_trace(name);
        if (!trace) return;
        CAPTURE(name);
        Ranges expected;
        for (const Lane& lane : trace->lanes)
            if (lane.kind == LaneKind::thread && !trace->processes[lane.process].is_gpu)
                for (const auto& window : windows_by_events(*trace, lane))
                    expected.push_back(window);
        Ranges found;
        for (const DeadWindow& w : dead_windows(TraceContext(trace), {}))
            found.emplace_back(w.range.begin, w.range.end);
        std::ranges::sort(expected);
        std::ranges::sort(found);
        CHECK(found.size() == expected.size());
        CHECK((found == expected));
        compared += found.size();
    }
    CHECK(compared > (testing::has_real_traces() ? 100'000 : 100));
}

}  // namespace lanescope
