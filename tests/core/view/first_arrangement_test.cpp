#include "core/view/first_arrangement.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "core/trace/derived_lanes.h"
#include "core/trace/launch_queues.h"
#include "core/view/lane_layout.h"
#include "tests/core/analysis/gpu_trace_maker.h"
#include "tests/core/real_traces.h"
#include "tests/core/spool_maker.h"
#include "tests/core/trace_maker.h"

using namespace lanescope;

namespace {

// Each stream runs as many kernels as the list says.
TracePtr with_streams(const std::vector<int>& kernels) {
    testing::GpuTraceMaker maker;
    int time = 0;
    for (std::size_t stream = 0; stream < kernels.size(); ++stream)
        for (int i = 0; i < kernels[stream]; ++i, time += 10)
            maker.call("cudaLaunchKernel", time, 2, time + 1)
                .work("k", time + 5, 4, time + 1, static_cast<int>(stream) + 7);
    LoadOptions options;
    options.derived_lanes = true;
    const auto trace = load_trace(testing::MemoryFile(maker.text()).path(), options);
    REQUIRE(trace);
    return *trace;
}

std::vector<std::string> pinned_names(const Trace& trace) {
    std::vector<std::string> names;
    const LaneArrangement arrangement = first_arrangement(trace);
    for (const LaneBox& box : build_pinned_layout(trace, arrangement, {}).lanes)
        names.push_back(box.name);
    return names;
}

const Lane& lane_of(const Trace& trace, LaneId id) {
    return trace.lanes[id];
}

}  // namespace

TEST_CASE("streams with work are pinned, with the launch queue of the busiest") {
    CHECK(pinned_names(*with_streams({3})) == std::vector<std::string>{"stream 7", "launch queue"});
    const TracePtr two = with_streams({1, 5});
    CHECK(pinned_names(*two) == std::vector<std::string>{"stream 7", "stream 8", "launch queue"});
    const LaneArrangement arrangement = first_arrangement(*two);
    REQUIRE(arrangement.hidden.size() == 1);
    const Lane* const stream = origin_of(*two, lane_of(*two, *arrangement.hidden.begin()));
    REQUIRE(stream);
    CHECK(two->strings[stream->name] == "stream 7");
    CHECK(arrangement.folded_groups.empty());
}

TEST_CASE("more than three streams are folded into one row a device") {
    CHECK(first_arrangement(*with_streams({1, 1, 1})).folded_groups.empty());
    const TracePtr trace = with_streams({1, 2, 3, 4});
    CHECK(first_arrangement(*trace).folded_groups.size() == 1);
    const LaneLayout dock = build_pinned_layout(*trace, first_arrangement(*trace), {});
    REQUIRE(dock.lanes.size() == 4);
    for (const LaneBox& box : dock.lanes) CHECK(box.in_head);
}

TEST_CASE("Python frames are left out where modules and operators tell the story") {
    const auto python_shown = [](std::string_view beside) {
        TraceMaker maker;
        maker.process("1", "python");
        maker.lane({{{0, 100, "train.py(1): main", "python_function"}, {10, 50, "x", beside}}});
        return first_arrangement(*maker.finish()).filter.python;
    };
    CHECK(python_shown("cpu_op") == PythonShown::modules);
    CHECK(python_shown("user_annotation") == PythonShown::modules);
    CHECK(python_shown("python_function") == PythonShown::all);
    CHECK(python_shown("anything") == PythonShown::all);
}

// Threads 1, 3 and 4 have no operators; the second process has nothing else; the third is made up.
TEST_CASE("lanes that say nothing take no room, but stay within reach") {
    TraceMaker maker;
    maker.process("10", "python");
    std::vector<TestSlice> many;
    for (int i = 0; i < 500; ++i) many.push_back({10 * i, 5, "aten::mm", "cpu_op"});
    const LaneId sparse = maker.lane({{{0, 100, "cudaFree", "cuda_runtime"}}});
    const LaneId frames = maker.lane({{{0, 100, "threading.py(1): run", "python_function"}}});
    const LaneId busy = maker.lane({many});
    const LaneId other = maker.lane({{{0, 100, "x", "anything"}}});
    maker.process("11", "helper");
    maker.lane({{{0, 100, "x", "anything"}}});
    maker.process("Spans", "");
    maker.trace().processes.back().is_profilers_own = true;
    const LaneId span = maker.lane({{{0, 100, "PyTorch Profiler (0)", "Trace"}}});
    const TracePtr trace = maker.finish();
    const LaneArrangement arrangement = first_arrangement(*trace);
    CHECK(arrangement.quiet == std::set<LaneId>{frames, other});
    CHECK(arrangement.hidden == std::set<LaneId>{span});
    REQUIRE(arrangement.folded_groups.size() == 1);
    CHECK(arrangement.folded_groups.begin()->find("11") != std::string::npos);
    const LaneLayout layout = build_layout(*trace, arrangement, {});
    REQUIRE(layout.lanes.size() == 2);
    CHECK(layout.lanes[0].id == busy);
    CHECK(layout.lanes[1].id == sparse);
    CHECK(layout.groups.front().quiet == 2);
}

TEST_CASE("a trace of one kind of slice shows every lane in the file's order") {
    TraceMaker maker;
    maker.process("1", "a");
    maker.lane({{{0, 10, "x", "anything"}}});
    maker.process("2", "b");
    maker.lane({{{0, 10, "x", "anything"}}});
    CHECK(first_arrangement(*maker.finish()) == LaneArrangement{});
}

TEST_CASE("every GPU activity of real traces is in a pinned lane") {
    for (const std::string& name : testing::traces_here(
             {"synthetic_step.json.gz", "torch/h100_bert_small.json.gz",
              "torch/a100_rank0_of16.json.gz", "torch/mi300_sglang_decode_graph.json.gz"})) {
        CAPTURE(name);
        const TracePtr trace = testing::load_real_trace(name);
        if (!trace) return;
        const LaneArrangement arrangement = first_arrangement(*trace);
        const std::vector<uint32_t> work = gpu_work_of_lanes(*trace);
        uint64_t pinned = 0;
        for (const LaneId lane : arrangement.pinned) pinned += work[lane];
        CHECK(pinned == trace->gpu_activities.slice.size());
    }
}

TEST_CASE("in a recording, a launcher that only started others is folded") {
    testing::SpoolMaker maker;
    maker.recording->add_process(100, "torchrun", "/usr/bin/torchrun train.py");
    maker.recording->add_counter("resident memory", "bytes", 5, 100, 0);
    SpoolStream& facts = maker.stream(kSpoolFacts, 1, 200, 200);
    SpoolProcess worker = {};
    worker.pid = 200;
    worker.rank_and_one = 1;
    maker.write(facts, kSpoolProcess, worker, "python");
    maker.seal(facts);
    SpoolStream& events = maker.stream(kSpoolEvents, 1, 200, 200);
    const uint64_t now = maker.now();
    maker.range(events, kSpoolPush, "step", now + 1);
    maker.pop(events, now + 1001);
    maker.seal(events);
    maker.recording->finish();
    const auto trace = load_trace(maker.path());
    REQUIRE(trace);
    const LaneArrangement arrangement = first_arrangement(**trace);
    std::size_t folded = 0;
    for (const LaneGroup& group : lane_groups(**trace, arrangement)) {
        const std::string_view name = (*trace)->strings[(*trace)->processes[group.process].name];
        const bool is_folded = arrangement.folded_groups.contains(group.key);
        CHECK(is_folded == (name == "torchrun train.py"));
        if (!is_folded) CHECK(name == "python · rank 0");
        folded += is_folded ? 1 : 0;
    }
    CHECK(folded == 1);
}
