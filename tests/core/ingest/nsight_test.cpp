// What the tables of Nsight Systems' exports become in a trace.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "core/ingest/nsight/nsight_words.h"
#include "tests/core/ingest/loaded_text.h"
#include "tests/core/ingest/nsight_file.h"

using namespace lanescope;
using namespace lanescope::testing;

namespace {

TracePtr loaded_tables(const std::string& statements) {
    return loaded(sqlite_bytes(kNsightStart + statements));
}

struct Found {
    SliceRef slice;
    const Lane* lane = nullptr;
    Nanos start = 0;
    Nanos duration = 0;
    EventClass event_class = EventClass::other;
    uint64_t source = 0;
};

std::vector<Found> found(const Trace& trace, std::string_view name) {
    std::vector<Found> all;
    for (LaneId id = 0; id < trace.lanes.size(); ++id)
        for (const auto& chunk : trace.lanes[id].chunks)
            for (uint32_t i = 0; i < chunk->size(); ++i) {
                const SliceRef slice{id, chunk->first + i};
                if (trace.name(slice) != name) continue;
                all.push_back({slice, &trace.lanes[id], chunk->start[i], chunk->duration[i],
                               trace.event_class(slice), chunk->source[i]});
            }
    std::ranges::sort(all, {}, &Found::start);
    return all;
}

std::map<std::string, std::string> arguments(const TracePtr& trace, uint64_t source) {
    std::map<std::string, std::string> values;
    const auto read = open_arguments(trace)->read(source);
    REQUIRE(read);
    for (const Argument& argument : *read) values[argument.name] = argument.value;
    return values;
}

const Lane* curve(const Trace& trace, std::string_view name) {
    for (const Lane& lane : trace.lanes)
        if (lane.counter && trace.strings[lane.name] == name) return &lane;
    return nullptr;
}

}  // namespace

TEST_CASE("Nsight: a kernel has its facts, and its launch is in its own process") {
    // Processes number their calls independently: both have a call 5.
    const TracePtr trace = loaded_tables(kNsightKernels + kNsightCalls + nsight_call(11, 100, 5) +
                                         nsight_call(12, 110, 5) + nsight_kernel(12, 200, 5, 1) +
                                         nsight_kernel(11, 230, 5));
    const std::vector<Found> kernels = found(*trace, "gemm(float*)");
    REQUIRE(kernels.size() == 2);
    CHECK(kernels[0].start == 200);
    CHECK(kernels[0].duration == 50);
    CHECK(kernels[0].event_class == EventClass::kernel);
    const GpuActivities& gpu = trace->gpu_activities;
    REQUIRE(gpu.rows() == 2);
    const uint32_t row = find_row(gpu.slice, kernels[0].slice);
    CHECK(gpu.device[row] == 1);
    CHECK(gpu.stream[row] == 7);
    const LaunchConfig& config = trace->launch_configs[gpu.config[row]];
    CHECK(config.grid[0] == 10);
    CHECK(config.grid[1] == 2);
    CHECK(config.block[0] == 128);
    CHECK(config.registers_per_thread == 32);
    CHECK(config.shared_memory_bytes == 3072);
    CHECK(config.static_shared_bytes == 1024);
    REQUIRE(trace->links.size() == 2);
    for (const Link& link : trace->links) {
        const bool is_first = trace->start(link.to) == 200;
        CHECK(trace->start(link.from) == (is_first ? 110 : 100));
    }
    const std::vector<Found> calls = found(*trace, "cudaLaunchKernel");
    REQUIRE(calls.size() == 2);
    CHECK(trace->strings[calls[0].lane->tid] == "11");
    CHECK(trace->facts.producer == "NVIDIA Nsight Systems 2026.2.1");
}

TEST_CASE("Nsight: work without a call in its own process has no launch") {
    const TracePtr trace = loaded_tables(kNsightKernels + kNsightCalls + nsight_call(11, 100, 5) +
                                         nsight_kernel(12, 200, 5));
    CHECK(trace->links.empty());
}

TEST_CASE("Nsight: a call with a stack has two rows, and is one call") {
    const TracePtr trace = loaded_tables(
        "CREATE TABLE CUDA_CALLCHAINS(id INTEGER, symbol INTEGER, module INTEGER, stackDepth "
        "INTEGER); INSERT INTO CUDA_CALLCHAINS VALUES(3,7,8,1),(3,9,8,0),(4,8,8,0);" +
        kNsightKernels + kNsightCalls + nsight_call(11, 101, 5, 0, 1, 8) +
        nsight_call(11, 100, 5, 67, 1, 10) +
        "UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET callchainId=3 "
        "WHERE eventClass=67;" +
        nsight_kernel(11, 200, 5));
    const std::vector<Found> calls = found(*trace, "cudaLaunchKernel");
    REQUIRE(calls.size() == 1);
    CHECK(calls[0].duration == 10);
    REQUIRE(trace->links.size() == 1);
    CHECK(trace->links[0].from == calls[0].slice);
    CHECK(arguments(trace, calls[0].source)["call stack"] == "work;main");
}

TEST_CASE("Nsight: calls without a correlation are kept beside calls with a stack") {
    const TracePtr trace = loaded_tables(
        "CREATE TABLE CUDA_CALLCHAINS(id INTEGER, symbol INTEGER, module INTEGER, stackDepth "
        "INTEGER);" +
        kNsightCalls + nsight_call(11, 100, 0, 67) + nsight_call(11, 200, 0) +
        nsight_call(11, 300, 0, 1, 5));
    CHECK(found(*trace, "cudaLaunchKernel").size() == 2);
    CHECK(found(*trace, "cuLaunchKernel").size() == 1);
}

TEST_CASE("Nsight: failed calls have a mark") {
    const TracePtr trace = loaded_tables(
        kNsightCalls + nsight_call(11, 100, 5) + nsight_call(11, 200, 6) +
        "UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET returnValue=CASE start WHEN 100 THEN 2 ELSE 600 "
        "END;");
    REQUIRE(trace->lanes.size() == 1);
    REQUIRE(trace->lanes[0].instants);
    REQUIRE(trace->lanes[0].instants->time.size() == 1);
    CHECK(trace->strings[trace->lanes[0].instants->name[0]] == "cudaLaunchKernel returned 2");
    CHECK(trace->lanes[0].instants->time[0] == 120);
}

TEST_CASE("Nsight: ranges of NVTX") {
    const TracePtr trace = loaded_tables(
        kNsightRanges +
        "INSERT INTO NVTX_EVENTS(start,end,eventType,text,textId,domainId,category,uint64Value) "
        "VALUES(100,900,59,'step',NULL,0,NULL,NULL),(200,300,59,NULL,6,2,4,77),"
        "(310,400,59,'aten::mul, seq = 45, op_id = 9, sizes = [[2, 3], []], input_op_ids = "
        "[(1,0)]',NULL,0,NULL,NULL),(410,450,59,'ncclSend',NULL,1,NULL,NULL),"
        "(500,800,60,'loading',NULL,0,NULL,NULL),(600,NULL,34,'now',NULL,0,NULL,NULL),"
        "(700,NULL,59,'open',NULL,0,NULL,NULL),(0,NULL,75,'my domain',NULL,2,NULL,NULL),"
        "(0,NULL,33,'my category',NULL,2,4,NULL),(0,NULL,39,'worker',NULL,0,NULL,NULL);"
        "UPDATE NVTX_EVENTS SET globalTid=" +
        nsight_tid_text(11) + ";");
    const std::vector<Found> step = found(*trace, "step");
    REQUIRE(step.size() == 1);
    CHECK(step[0].event_class == EventClass::annotation);
    CHECK(trace->strings[step[0].lane->name] == "worker");
    const std::vector<Found> registered = found(*trace, "registered");
    REQUIRE(registered.size() == 1);
    auto values = arguments(trace, registered[0].source);
    CHECK(values["domain"] == "my domain");
    CHECK(values["category name"] == "my category");
    CHECK(values["uint64Value"] == "77");
    const std::vector<Found> mul = found(*trace, "aten::mul");
    REQUIRE(mul.size() == 1);
    CHECK(mul[0].event_class == EventClass::op);
    const uint32_t row = find_row(trace->operators.slice, mul[0].slice);
    REQUIRE(row != kNoRow);
    CHECK(trace->operators.sequence[row] == 45);
    CHECK(trace->strings[trace->operators.input_dims[row]] == "[[2, 3], []]");
    const std::vector<Found> send = found(*trace, "ncclSend");
    REQUIRE(send.size() == 1);
    CHECK(send[0].event_class == EventClass::communication);
    const std::vector<Found> loading = found(*trace, "loading");
    REQUIRE(loading.size() == 1);
    CHECK(loading[0].lane->kind == LaneKind::async);
    CHECK(loading[0].duration == 300);
    const std::vector<Found> open = found(*trace, "open");
    REQUIRE(open.size() == 1);
    CHECK(open[0].start + open[0].duration == 900);
    CHECK(warned(*trace, "unclosed_begin") == 1);
    CHECK(warned_at(*trace, "unclosed_begin") == Error::no_offset);
    REQUIRE(step[0].lane->instants);
    CHECK(trace->strings[step[0].lane->instants->name[0]] == "now");
}

TEST_CASE("Nsight: copies, sets, synchronisations and whole graphs") {
    const std::string work =
        "start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER, "
        "correlationId INTEGER, globalPid INTEGER, graphNodeId INTEGER";
    const TracePtr trace = loaded_tables(
        "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY(" + work +
        ", copyKind, srcKind, dstKind, bytes);CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET(" + work +
        ", memKind, bytes);CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE(" + work +
        ", graphId);CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION(" + work +
        ", syncType, eventId, eventSyncId);"
        "CREATE TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT(globalPid, eventId, eventSyncId, "
        "correlationId, streamId);"
        "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES(10,20,1,2,7,1,11<<24,NULL,1,1,2,4096);"
        "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES(30,40,1,2,7,2,11<<24,9,2,64);"
        "INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES(50,90,1,2,7,3,11<<24,NULL,12);"
        "INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT VALUES(11<<24,5,6,1,13);"
        "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES"
        "(15,95,0,2,7,4,11<<24,NULL,3,4294967295,0),(96,97,0,2,7,4,11<<24,NULL,2,5,6);");
    CHECK(found(*trace, "Memcpy HtoD (Pinned -> Device)").size() == 1);
    CHECK(found(*trace, "Memset (Device)").size() == 1);
    CHECK(found(*trace, "CUDA graph 12").size() == 1);
    CHECK(warned(*trace, "whole_graphs") == 1);
    const GpuActivities& gpu = trace->gpu_activities;
    REQUIRE(gpu.rows() == 3);
    CHECK(gpu.bytes[0] == 4096);
    CHECK(gpu.graph_node[1] == 9);
    const std::vector<Found> waits = found(*trace, "Stream Sync");
    REQUIRE(waits.size() == 1);
    // The rows of synchronisations name device 0; the work of their context is on device 1.
    CHECK(trace->processes[waits[0].lane->process].device == 1);
    CHECK(waits[0].lane != found(*trace, "CUDA graph 12")[0].lane);
    const Synchronisations& syncs = trace->synchronisations;
    REQUIRE(syncs.rows() == 2);
    const uint32_t row = find_row(syncs.slice, found(*trace, "Stream Wait Event").at(0).slice);
    CHECK(syncs.wait_on_event[row] == 5);
    CHECK(syncs.wait_on_event_correlation[row] == 1);
    CHECK(syncs.wait_on_stream[row] == 13);
}

TEST_CASE("Nsight: memory in use is a running sum in the order of time") {
    const TracePtr trace = loaded_tables(
        "CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS(start, globalPid, deviceId, address, bytes, "
        "memKind, memoryOperationType);"
        "INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES(30,11<<24,0,1,100,2,1),"
        "(10,11<<24,0,1,100,2,0),(20,11<<24,0,2,50,2,0),(25,11<<24,0,3,7,1,0);");
    const Lane* const lane = curve(*trace, "memory allocated · GPU 0");
    REQUIRE(lane);
    CHECK(std::vector<double>(lane->counter->value.begin(), lane->counter->value.end()) ==
          std::vector<double>{100, 150, 50});
    CHECK(curve(*trace, "memory allocated · CPU"));
}

TEST_CASE("Nsight: devices and their metrics") {
    const TracePtr trace = loaded_tables(
        kNsightKernels + nsight_kernel(11, 100, 1) +
        "CREATE TABLE TARGET_INFO_CUDA_DEVICE(gpuId, cudaId, pid);"
        "INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES(3,0,11);"
        "CREATE TABLE TARGET_INFO_GPU(id, name, smCount, computeMajor, computeMinor, "
        "threadsPerWarp, maxWarpsPerSm, maxRegistersPerSm, memoryBandwidth);"
        "INSERT INTO TARGET_INFO_GPU VALUES(2,'other',1,1,1,1,1,1,1),"
        "(3,'NVIDIA H100',132,9,0,32,64,65536,3000000000000);"
        "CREATE TABLE TARGET_INFO_GPU_METRICS(typeId, metricId, metricName);"
        "INSERT INTO TARGET_INFO_GPU_METRICS VALUES(259,7,'SMs Active');"
        "CREATE TABLE GPU_METRICS(timestamp, typeId, metricId, value);"
        "INSERT INTO GPU_METRICS VALUES(100,259,7,40),(110,259,7,60),(110,259,8,1);"
        "CREATE TABLE DIAGNOSTIC_EVENT(severity, text);"
        "INSERT INTO DIAGNOSTIC_EVENT VALUES(1,'fine'),(2,'not all of it'),(3,'failed');");
    REQUIRE(trace->devices.size() == 1);
    const Device& device = trace->devices[0];
    CHECK(device.id == 0);
    CHECK(device.name == "NVIDIA H100");
    CHECK(device.fact(DeviceFact::multiprocessors) == 132);
    CHECK(device.fact(DeviceFact::max_threads_per_multiprocessor) == 2048);
    CHECK(device.more.at("memoryBandwidth") == 3'000'000'000'000);
    const Lane* const lane = curve(*trace, "SMs Active");
    REQUIRE(lane);
    CHECK(lane->counter->max == 60);
    CHECK(trace->processes[lane->process].device == 0);
    CHECK(curve(*trace, "metric 8"));
    CHECK(find_warning(*trace, "profiler_warning")->text == "Nsight Systems says: not all of it");
    CHECK(warned(*trace, "profiler_error") == 1);
}

TEST_CASE("Nsight: samples are merged, and pauses divide them") {
    const TracePtr trace = loaded_tables(
        "CREATE TABLE COMPOSITE_EVENTS(id, start, globalTid);"
        "INSERT INTO COMPOSITE_EVENTS VALUES(1,1000,11<<24|11),(2,2000,11<<24|11),"
        "(3,9000,11<<24|11);"
        "CREATE TABLE SAMPLING_CALLCHAINS(id, symbol, module, stackDepth);"
        "INSERT INTO SAMPLING_CALLCHAINS VALUES(1,9,8,0),(1,7,8,1),(2,7,8,0),(3,7,8,0);"
        "CREATE TABLE SCHED_EVENTS(start, globalTid, isSchedIn);"
        "INSERT INTO SCHED_EVENTS VALUES(8200,11<<24|11,1),(2500,11<<24|11,0);");
    const std::vector<Found> main = found(*trace, "main");
    REQUIRE(main.size() == 2);
    CHECK(main[0].lane->kind == LaneKind::samples);
    CHECK(main[0].start == 0);
    CHECK(main[0].duration == 2000);
    CHECK(main[1].start == 8200);
    CHECK(main[1].duration == 800);
    CHECK(found(*trace, "work").size() == 1);
    const std::vector<Found> pause = found(*trace, "[not running]");
    REQUIRE(pause.size() == 1);
    CHECK(pause[0].start == 2500);
    CHECK(pause[0].duration == 5700);
    const SampledCalls& sampled = trace->sampled_calls;
    CHECK(sampled.samples[find_row(sampled.slice, main[0].slice)] == 2);
}

TEST_CASE("Nsight: the arguments of a kernel are its row, with words for numbers") {
    const TracePtr trace =
        loaded_tables(kNsightKernels + nsight_kernel(11, 100, 5) +
                      "CREATE TABLE ENUM_CUDA_KERNEL_LAUNCH_TYPE(id INTEGER PRIMARY KEY, name, "
                      "label); INSERT INTO ENUM_CUDA_KERNEL_LAUNCH_TYPE VALUES(1,'X','Regular');");
    const std::vector<Found> kernel = found(*trace, "gemm(float*)");
    REQUIRE(kernel.size() == 1);
    auto values = arguments(trace, kernel[0].source);
    CHECK(values["demangledName"] == "gemm(float *)");
    CHECK(values["launchType"] == "Regular");
    CHECK(values["gridX"] == "10");
    CHECK(values.count("graphNodeId") == 0);
    CHECK(values.count("start") == 0);
}

TEST_CASE("Nsight: names of processes, threads and streams, MPI, and other tables") {
    const TracePtr trace = loaded_tables(
        kNsightKernels + kNsightCalls + nsight_call(11, 100, 1) + nsight_kernel(11, 200, 1) +
        "CREATE TABLE PROCESSES(globalPid, pid, name);"
        "INSERT INTO PROCESSES VALUES(11<<24,11,'/usr/bin/python3'),(99<<24,99,'other');"
        "CREATE TABLE ThreadNames(nameId, priority, globalTid);"
        "INSERT INTO ThreadNames VALUES(7,0,11<<24|11);"
        "CREATE TABLE TARGET_INFO_CUDA_STREAM(streamId, processId, contextId, flag);"
        "INSERT INTO TARGET_INFO_CUDA_STREAM VALUES(7,11,1,3);"
        "CREATE TABLE MPI_RANKS(globalTid, rank); INSERT INTO MPI_RANKS VALUES(11<<24|11,3);"
        "CREATE TABLE MPI_P2P_EVENTS(start, end, globalTid, textId);"
        "INSERT INTO MPI_P2P_EVENTS VALUES(300,310,11<<24|11,9);"
        "CREATE TABLE NEW_EVENTS(start, end, globalTid, nameId);"
        "INSERT INTO NEW_EVENTS VALUES(400,410,11<<24|11,6);"
        "CREATE TABLE NEW_SAMPLES(start, value); INSERT INTO NEW_SAMPLES VALUES(1,2),(3,4);"
        "CREATE TABLE NEW_NOTHING(start);");
    REQUIRE(trace->processes.size() == 2);
    CHECK(trace->strings[trace->processes[0].name] == "python3 · rank 3");
    CHECK(trace->strings[found(*trace, "cudaLaunchKernel").at(0).lane->name] == "main");
    CHECK(trace->strings[found(*trace, "gemm(float*)").at(0).lane->name] == "stream 7 (default)");
    CHECK(found(*trace, "work").at(0).event_class == EventClass::communication);
    CHECK(found(*trace, "registered").size() == 1);
    REQUIRE(find_warning(*trace, "unknown_tables"));
    CHECK(find_warning(*trace, "unknown_tables")->text.ends_with("NEW_SAMPLES (2)"));
}

TEST_CASE("Nsight: processes of several machines may have the same pid") {
    const TracePtr trace = loaded_tables(
        kNsightRanges +
        "WITH RECURSIVE many(i) AS (SELECT 0 UNION ALL SELECT i+1 FROM many WHERE i<4999) "
        "INSERT INTO NVTX_EVENTS(start,end,eventType,text,globalTid) "
        "SELECT 100+i,101+i,59,'step',(i<<48)|(11<<24)|11 FROM many;");
    REQUIRE(trace->processes.size() == 5000);
    std::set<std::string> pids;
    for (const Process& process : trace->processes)
        pids.insert(std::string(trace->strings[process.pid]));
    CHECK(pids.size() == 5000);
    CHECK(pids.contains("11"));
    CHECK(pids.contains("11 (2)"));
    CHECK(pids.contains("11 (5000)"));
}

TEST_CASE("Nsight: each device of a process, and each stream of a context, is named") {
    const TracePtr trace = loaded_tables(
        kNsightKernels + nsight_kernel(11, 100, 1) + nsight_kernel(11, 200, 2, 1) +
        nsight_kernel(12, 300, 3) +
        "CREATE TABLE PROCESSES(globalPid, pid, name);"
        "INSERT INTO PROCESSES VALUES(11<<24,11,'one'),(12<<24,12,'two'),(11<<24,11,'last');"
        "CREATE TABLE TARGET_INFO_CUDA_STREAM(streamId, processId, contextId, flag);"
        "INSERT INTO TARGET_INFO_CUDA_STREAM VALUES(7,11,1,3),(7,11,1,3),(7,12,2,3),(8,12,1,3);");
    REQUIRE(trace->processes.size() == 5);
    for (const Found& kernel : found(*trace, "gemm(float*)")) {
        const bool is_second = kernel.start == 300;
        CHECK(trace->strings[trace->processes[kernel.lane->process].name] ==
              (is_second ? "two" : "last"));
        CHECK((trace->strings[kernel.lane->name] == "stream 7 (default)") == !is_second);
    }
}

TEST_CASE("Nsight: texts of arguments in a copy of the file") {
    for (const char* key : {"INTEGER", "INTEGER PRIMARY KEY DESC"}) {
        const TracePtr trace = loaded(sqlite_bytes(
            "CREATE TABLE StringIds(id " + std::string(key) +
            ", value TEXT); INSERT INTO StringIds "
            "VALUES(4,'gemm'),(3,'gemm(float *)'),(2,'_Z4gemmPf'),(1,'cudaLaunchKernel');"
            "CREATE TABLE ENUM_CUDA_KERNEL_LAUNCH_TYPE(id " +
            key +
            ", label); INSERT INTO ENUM_CUDA_KERNEL_LAUNCH_TYPE VALUES(2,'Cooperative'),"
            "(1,'Regular');" +
            kNsightKernels + nsight_kernel(11, 100, 5)));
        const std::vector<Found> kernel = found(*trace, "gemm(float*)");
        REQUIRE(kernel.size() == 1);
        auto values = arguments(trace, kernel[0].source);
        CHECK(values["demangledName"] == "gemm(float *)");
        CHECK(values["launchType"] == "Regular");
    }
}

TEST_CASE("Nsight: words") {
    CHECK(nsight_call_name("cudaMalloc_v3020") == "cudaMalloc");
    CHECK(nsight_call_name("cudaStreamGetCaptureInfo_v2_v11030") == "cudaStreamGetCaptureInfo_v2");
    CHECK(nsight_call_name("cuMemAlloc_v2") == "cuMemAlloc_v2");
    CHECK(nsight_copy_name(2, 2, 1) == "Memcpy DtoH (Device -> Pinned)");
    CHECK(nsight_copy_name(11, kNoValue, kNoValue) == "Memcpy HtoD (Unified)");
    CHECK(nsight_sync_name(99) == "Unknown");
    CHECK(read_torch_range("forward").name == "forward");
    CHECK_FALSE(read_torch_range("a, b").is_operator);
    CHECK(read_torch_range("detach_, op_id = 3").name == "detach_");
    CHECK(read_torch_range("x, op_id = 3").sequence == kNoValue);
}
