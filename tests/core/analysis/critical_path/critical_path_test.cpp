#include "core/analysis/critical_path/critical_path.h"

#include <doctest/doctest.h>

#include <numeric>
#include <string>
#include <vector>

#include "core/analysis/critical_path/dependency_graph.h"
#include "tests/core/analysis/gpu_trace_maker.h"
#include "tests/core/ingest/loaded_text.h"
#include "tests/core/real_traces.h"

namespace lanescope {

namespace {

using testing::GpuTraceMaker;

// "part name length", lengths in µs.
std::vector<std::string> segments_of_path(const TraceContext& context, const StepPath& path) {
    const Trace& trace = context.trace();
    std::vector<std::string> all;
    for (const PathSegment& segment : segments_of(context, path))
        all.push_back(std::string(path_part_name(segment.part)) + " " +
                      (segment.slice ? std::string(trace.name(segment.slice)) : "-") + " " +
                      std::to_string(segment.range.length() / 1000));
    return all;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("critical path: launch, kernel, gap, and the wait for them") {
    const TracePtr trace = GpuTraceMaker()
                               .call("ProfilerStep#1", 0, 100, 0, 1, "user_annotation")
                               .call("aten::mm", 10, 20, 0, 1, "cpu_op")
                               .call("cudaLaunchKernel", 12, 4, 1)
                               .work("k1", 20, 30, 1)
                               .call("aten::add", 32, 6, 0, 1, "cpu_op")
                               .call("cudaLaunchKernel", 33, 3, 2)
                               .work("k2", 52, 10, 2)
                               .call("cudaDeviceSynchronize", 50, 16)
                               .load();
    const TraceContext context(trace);
    const std::vector<StepPath> paths = critical_paths(context, {});
    REQUIRE(paths.size() == 1);
    CHECK(segments_of_path(context, paths[0]) ==
          Texts{"program ProfilerStep#1 10", "operator aten::mm 2", "launch k1 8", "kernel k1 30",
                "gap k2 2", "kernel k2 10", "synchronisation cudaDeviceSynchronize 4",
                "program - 34"});
}

TEST_CASE("critical path: segments count from the trace's origin") {
    const TracePtr trace = GpuTraceMaker()
                               .call("ProfilerStep#1", 500, 100, 0, 1, "user_annotation")
                               .call("aten::mm", 510, 20, 0, 1, "cpu_op")
                               .load();
    const Table table = critical_path_by_segment_table(TraceContext(trace), {});
    REQUIRE(table.row_count() == 3);
    const std::size_t column = *find_column(table.spec(), "start_ns");
    CHECK(std::get<int64_t>(table.cell(0, column)) == 0);
    CHECK(std::get<int64_t>(table.cell(1, column)) == 10'000);
    CHECK(std::get<int64_t>(table.cell(2, column)) == 30'000);
}

TEST_CASE("critical path: the time around a call without a duration is one segment") {
    const TracePtr trace = GpuTraceMaker()
                               .call("ProfilerStep#1", 0, 100, 0, 1, "user_annotation")
                               .call("aten::mm", 10, 20, 0, 1, "cpu_op")
                               .call("aten::view", 20, 0, 0, 1, "cpu_op")
                               .call("aten::add", 40, 20, 0, 1, "cpu_op")
                               .call("aten::empty", 45, 5, 0, 1, "cpu_op")
                               .load();
    const TraceContext context(trace);
    const std::vector<StepPath> paths = critical_paths(context, {});
    REQUIRE(paths.size() == 1);
    CHECK(segments_of_path(context, paths[0]) ==
          Texts{"program ProfilerStep#1 10", "operator aten::mm 20", "program ProfilerStep#1 10",
                "operator aten::add 5", "operator aten::empty 5", "operator aten::add 10",
                "program - 40"});
}

TEST_CASE("critical path: it ends with the last activity that the step launched") {
    const TracePtr trace = GpuTraceMaker()
                               .call("ProfilerStep#1", 0, 20, 0, 1, "user_annotation")
                               .call("aten::mm", 5, 10, 0, 1, "cpu_op")
                               .call("cudaLaunchKernel", 6, 4, 1)
                               .work("k1", 15, 50, 1)
                               .load();
    const TraceContext context(trace);
    const std::vector<StepPath> paths = critical_paths(context, {});
    REQUIRE(paths.size() == 1);
    CHECK(paths[0].range.length() == 65'000);
    CHECK(segments_of_path(context, paths[0]) ==
          Texts{"program ProfilerStep#1 5", "operator aten::mm 1", "launch k1 9", "kernel k1 50"});
}

TEST_CASE("critical path: a stream waits for another stream's event") {
    GpuTraceMaker maker;
    maker.call("ProfilerStep#1", 0, 30, 0, 1, "user_annotation")
        .call("cudaLaunchKernel", 5, 2, 1)
        .work("k1", 10, 40, 1, 7)
        .call("cudaEventRecord", 8, 1, 2)
        .call("cudaStreamWaitEvent", 10, 1, 3)
        .call("cudaLaunchKernel", 12, 2, 4)
        .work("k2", 53, 10, 4, 20)
        // Launched after the event was recorded, so that nothing waits for it.
        .call("cudaLaunchKernel", 15, 2, 5)
        .work("k3", 50, 1, 5, 7);
    std::string text = maker.text();
    text.insert(text.rfind(']'),
                R"(,{"ph":"X","cat":"cuda_sync","name":"Stream Wait Event","pid":0,"tid":20,)"
                R"("ts":10,"dur":1,"args":{"cuda_sync_kind":"Stream Wait Event","stream":20,)"
                R"("correlation":3,"device":0,"wait_on_stream":7,)"
                R"("wait_on_cuda_event_record_corr_id":2,"wait_on_cuda_event_id":1}})");
    const TracePtr trace = testing::loaded(text);
    const TraceContext context(trace);
    const std::vector<StepPath> paths = critical_paths(context, {});
    REQUIRE(paths.size() == 1);
    CHECK(segments_of_path(context, paths[0]) == Texts{"program ProfilerStep#1 5", "launch k1 5",
                                                       "kernel k1 40", "synchronisation k2 3",
                                                       "kernel k2 10"});
}

TEST_CASE("critical path: through autograd's thread and back") {
    const auto op = [](int tid, const char* name, int start, int duration, int forward_thread) {
        return std::string(R"({"ph":"X","cat":"cpu_op","name":")") + name +
               R"(","pid":100,"tid":)" + std::to_string(tid) + R"(,"ts":)" + std::to_string(start) +
               R"(,"dur":)" + std::to_string(duration) +
               R"(,"args":{"Sequence number":1,"Fwd thread id":)" + std::to_string(forward_thread) +
               "}}";
    };
    const TracePtr trace = testing::loaded(
        R"({"traceEvents":[{"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","pid":100,)"
        R"("tid":1,"ts":0,"dur":100,"args":{}},)" +
        op(1, "aten::mm", 5, 10, 0) + "," + op(2, "MmBackward0", 20, 40, 1) + "," +
        op(1, "aten::add_", 70, 10, 0) + "]}");
    const TraceContext context(trace);
    const std::vector<StepPath> paths = critical_paths(context, {});
    REQUIRE(paths.size() == 1);
    CHECK(segments_of_path(context, paths[0]) ==
          Texts{"program ProfilerStep#1 5", "operator aten::mm 10", "program - 5",
                "operator MmBackward0 40", "program ProfilerStep#1 10", "operator aten::add_ 10",
                "program - 20"});
}

TEST_CASE("critical path: a step that old files record as an operator is no call") {
    // Autograd's thread waits for the forward pass, not for the end of the step.
    const TracePtr trace = testing::loaded(R"([
        {"ph":"X","cat":"Operator","name":"ProfilerStep#1","pid":5,"tid":1,"ts":0,"dur":100,
         "args":{"External id":1}},
        {"ph":"X","cat":"Operator","name":"enumerate(DataLoader)#_Iter.__next__","pid":5,"tid":1,
         "ts":2,"dur":50,"args":{"External id":2}},
        {"ph":"X","cat":"Operator","name":"aten::mm","pid":5,"tid":1,"ts":54,"dur":6,
         "args":{"External id":3,"Fwd thread id":0,"Sequence number":7}},
        {"ph":"X","cat":"Operator","name":"MmBackward","pid":5,"tid":2,"ts":62,"dur":30,
         "args":{"External id":4,"Fwd thread id":1,"Sequence number":7}},
        {"ph":"X","cat":"Operator","name":"aten::add_","pid":5,"tid":1,"ts":93,"dur":5,
         "args":{"External id":5}}])");
    const TraceContext context(trace);
    const std::vector<StepPath> paths = critical_paths(context, {});
    REQUIRE(paths.size() == 1);
    CHECK(segments_of_path(context, paths[0]) ==
          Texts{"program ProfilerStep#1 2", "data loading enumerate(DataLoader)#_Iter.__next__ 50",
                "program ProfilerStep#1 2", "operator aten::mm 6", "program - 2",
                "operator MmBackward 30", "program ProfilerStep#1 1", "operator aten::add_ 5",
                "program - 2"});
    for (const std::string& name : testing::traces_here({"torch/v100_resnet50_2021.json.gz"})) {
        const TracePtr real = testing::load_real_trace(name);
        REQUIRE(real);
        for (const StepPath& path : critical_paths(TraceContext(real), {})) {
            CHECK(path.parts[static_cast<std::size_t>(PathPart::unknown)] == 0);
            CHECK(3 * path.parts[static_cast<std::size_t>(PathPart::loading)] >
                  path.range.length());
        }
    }
}

TEST_CASE("critical path: an empty trace has none") {
    const TracePtr empty =
        testing::loaded(R"({"traceEvents":[{"ph":"C","name":"c","pid":1,"ts":1,"args":{"v":1}}]})");
    CHECK(critical_paths(TraceContext(empty), {}).empty());
    const TracePtr trace =
        testing::loaded(R"({"traceEvents":[{"ph":"X","cat":"user_annotation",)"
                        R"("name":"ProfilerStep#1","pid":1,"tid":1,"ts":0,"dur":9,"args":{}}]})");
    const TraceContext context(trace);
    const std::vector<StepPath> paths = critical_paths(context, {});
    REQUIRE(paths.size() == 1);
    CHECK(segments_of_path(context, paths[0]) == Texts{"unknown - 9"});
}

TEST_CASE("critical path: it fills the step in all traces") {
    for (const std::string& name : testing::traces_of_slow_tests(0)) {
        CAPTURE(name);
        const TracePtr trace = testing::load_real_trace(name);
        if (!trace) return;
        const TraceContext context(trace);
        const DependencyGraph& graph = context.get<DependencyGraph>();
        std::size_t ordered = 0;
        for (const DependencyGraph::Piece& piece : graph.order) ordered += piece.end - piece.begin;
        CHECK(ordered == graph.time.size());
        for (const StepPath& path : critical_paths(context, {})) {
            Nanos at = path.range.begin;
            for (const PathSegment& segment : segments_of(context, path)) {
                REQUIRE(segment.range.begin == at);
                REQUIRE(segment.range.length() > 0);
                at = segment.range.end;
            }
            CHECK(at == path.range.end);
            CHECK(std::accumulate(path.parts.begin(), path.parts.end(), Nanos{0}) ==
                  path.range.length());
        }
    }
}

}  // namespace lanescope
