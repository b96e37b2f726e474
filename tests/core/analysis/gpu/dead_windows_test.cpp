#include "core/analysis/gpu/dead_windows.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "core/analysis/structure/lane_view.h"
#include "core/export/tables/table_writer.h"
#include "tests/core/analysis/gpu_trace_maker.h"
#include "tests/core/ingest/loaded_text.h"
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

std::string cell(const Table& table, std::size_t row, std::string_view column) {
    return format_cell(table, row, *find_column(table.spec(), column));
}

// An annotation from 0 to 100 µs on thread 1, and autograd's thread 2.
class BackwardMaker {
  public:
    BackwardMaker& call(std::string_view name, int start, int duration, int tid = 1) {
        return event("cpu_op", name, start, duration, tid, "");
    }
    BackwardMaker& forward(int start, int duration, int sequence, int tid = 1) {
        return event("cpu_op", "aten::mm", start, duration, tid, numbers(0, sequence));
    }
    // `sequence` 0: the operator has none.
    BackwardMaker& backward(std::string_view name, int start, int duration, int sequence = 0) {
        return event("cpu_op", name, start, duration, 2,
                     sequence == 0 ? std::string() : numbers(1, sequence));
    }
    BackwardMaker& launch(int start) {
        event("cuda_runtime", "cudaLaunchKernel", start, 1, 2, "\"correlation\":1");
        return event("kernel", "k", start + 1, 5, 7, R"("device":0,"stream":7,"correlation":1)", 0);
    }
    TracePtr load(std::string_view annotation) {
        event("user_annotation", annotation, 0, 100, 1, "");
        return testing::loaded("[" + events_ + "]");
    }

  private:
    static std::string numbers(int forward_thread, int sequence) {
        return "\"Fwd thread id\":" + std::to_string(forward_thread) +
               ",\"Sequence number\":" + std::to_string(sequence);
    }
    BackwardMaker& event(std::string_view category, std::string_view name, int start, int duration,
                         int tid, const std::string& arguments, int pid = 5) {
        if (!events_.empty()) events_ += ",";
        events_ += R"({"ph":"X","cat":")" + std::string(category) + R"(","name":")" +
                   std::string(name) + R"(","pid":)" + std::to_string(pid) + R"(,"tid":)" +
                   std::to_string(tid) + R"(,"ts":)" + std::to_string(start) + R"(,"dur":)" +
                   std::to_string(duration) + R"(,"args":{)" + arguments + "}}";
        return *this;
    }
    std::string events_;
};

// By begin in µs, of windows of the annotation from 20 µs on: "waiting: autograd", "dead", "dead?".
using Kinds = std::map<Nanos, std::string>;

Kinds windows_of(BackwardMaker maker, std::string_view annotation) {
    const TracePtr trace = maker.load(annotation);
    const Table table = dead_windows_table(TraceContext(trace), {});
    Kinds kinds;
    for (std::size_t row = 0; row < table.row_count(); ++row) {
        const Nanos begin = (table.target(row).range.begin - trace->origin) / 1000;
        if (begin < 20 || cell(table, row, "parent") != annotation) continue;
        const std::string waits_for = cell(table, row, "waits_for");
        kinds[begin] = cell(table, row, "kind");
        if (kinds[begin] != "waiting") continue;
        kinds[begin] += waits_for.find('2') != std::string::npos ? ": autograd" : waits_for;
    }
    return kinds;
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

TEST_CASE("dead windows: the thread waits while autograd's thread runs its backward pass") {
    // The node of a forward operator, one without a number, and time of the engine between them.
    const auto kind_of = [](int begin, int middle, int end) {
        BackwardMaker maker;
        maker.forward(2, 10, 7).call("ones_like", 18, 2);
        maker.backward("autograd::engine::evaluate_function: MmBackward0", begin, 10, 7);
        maker.backward("autograd::engine::evaluate_function: AccumulateGrad", middle, end - middle);
        return windows_of(maker, "user_annotation");
    };
    // 80 of the 80 µs after ones_like.
    CHECK(kind_of(20, 60, 100) == Kinds{{20, "waiting: autograd"}});
    CHECK(kind_of(24, 60, 96) == Kinds{{20, "waiting: autograd"}});  // 72 µs
    CHECK(kind_of(25, 60, 96) == Kinds{{20, "dead"}});               // 71 µs
}

TEST_CASE("dead windows: another thread's backward pass is nothing to wait for, but its step is") {
    const auto kinds = [](bool in_step, bool launches) {
        BackwardMaker maker;
        maker.forward(2, 10, 7, 3).call("ones_like", 18, 2);
        maker.backward("MmBackward0", 21, 78, 7);
        if (launches) maker.launch(30);
        return windows_of(maker, in_step ? "ProfilerStep#1" : "user_annotation");
    };
    CHECK(kinds(false, false) == Kinds{{20, "dead?"}});
    CHECK(kinds(false, true) == Kinds{{20, "dead?"}});
    CHECK(kinds(true, false) == Kinds{{20, "dead?"}});
    CHECK(kinds(true, true) == Kinds{{20, "waiting: autograd"}});
}

TEST_CASE("dead windows: a thread inside a synchronising call waits for it") {
    const TracePtr trace = testing::GpuTraceMaker()
                               .call("cudaDeviceSynchronize", 0, 98)
                               .call("callback", 10, 80, 0, 1, "cpu_op")
                               .call("aten::empty", 10, 10, 0, 1, "cpu_op")
                               .call("outer", 200, 100, 0, 1, "cpu_op")
                               .call("cudaDeviceSynchronize", 190, 108, 0, 1, "cuda_runtime")
                               .call("aten::empty", 200, 1, 0, 1, "cpu_op")
                               .load();
    const Table table = dead_windows_table(TraceContext(trace), {});
    REQUIRE(table.row_count() == 2);
    for (std::size_t row = 0; row < 2; ++row) {
        CHECK(cell(table, row, "kind") == "waiting");
        CHECK(cell(table, row, "waits_for") == "cudaDeviceSynchronize");
    }
}

TEST_CASE("dead windows: waiting ones do not count as an operator's dead time") {
    BackwardMaker maker;
    maker.forward(2, 10, 7).call("ones_like", 18, 2).backward("MmBackward0", 20, 80, 7);
    const Table table = dead_windows_by_parent_table(TraceContext(maker.load("step")), {});
    REQUIRE(table.row_count() == 1);
    CHECK(std::get<int64_t>(table.cell(0, 2)) == 2'000 + 6'000);
}

TEST_CASE("dead windows: the threads of real traces wait for their backward passes") {
    struct Expected {
        const char* name;
        std::size_t waiting;
        Nanos total;         // of waiting windows
        Nanos longest_dead;  // at most
    };
    for (const Expected& expected :
         {Expected{"torch/v100_memory_nccl.json.gz", 5, 1'274'246'000, 5'000'000},
          Expected{"torch/a100_nccl_groups.json.gz", 3, 307'923'903, 2'000'000},
          Expected{"torch/v100_resnet50_2021.json.gz", 6, 215'898'000, 4'000'000},
          Expected{"torch/two_ranks/rank-0.json.gz", 2, 463'937'000, 110'000'000}}) {
        const TracePtr trace = testing::load_real_trace(expected.name);
        if (!trace) return;
        CAPTURE(expected.name);
        std::size_t waiting = 0;
        Nanos total = 0;
        for (const DeadWindow& window : dead_windows(TraceContext(trace), {})) {
            if (window.is_dead()) {
                CHECK(window.range.length() <= expected.longest_dead);
                continue;
            }
            ++waiting;
            total += window.range.length();
        }
        CHECK(waiting == expected.waiting);
        CHECK(total == expected.total);
    }
}

TEST_CASE("dead windows: equal those computed from the events of every trace") {
    const std::vector<std::string> names = testing::traces_of_slow_tests(2);
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
    const bool all = names.size() == testing::torch_traces_and_samples().size();
    CHECK(compared > (!testing::has_real_traces() ? 100 : all ? 100'000 : 10'000));
}

}  // namespace lanescope
