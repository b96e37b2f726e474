#include "core/analysis/gpu/synchronisations.h"

#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <string>

#include "tests/core/analysis/gpu_trace_maker.h"
#include "tests/core/real_traces.h"
#include "tests/core/trace_maker.h"

namespace lanescope {

namespace {

std::string waited_for(const Trace& trace, const Synchronisation& sync) {
    return sync.waited_for == kNoRow
               ? std::string()
               : std::string(trace.name(trace.gpu_activities.slice[sync.waited_for]));
}

// "cause: activity" by begin in µs.
std::map<Nanos, std::string> descriptions(const Trace& trace,
                                          const std::vector<Synchronisation>& syncs) {
    std::map<Nanos, std::string> all;
    for (const Synchronisation& sync : syncs)
        all[(trace.start(sync.call) - trace.origin) / 1000] =
            std::string(sync_cause_name(sync.cause)) + ": " + waited_for(trace, sync);
    return all;
}

// A text or integer; "-" if unknown.
std::string said(const Cell& cell) {
    if (const auto* const text = std::get_if<std::string_view>(&cell)) return std::string(*text);
    if (const auto* const number = std::get_if<int64_t>(&cell)) return std::to_string(*number);
    return "-";
}

using Keys = std::vector<std::pair<std::string_view, std::string>>;

// The value of a column in the row selected by `keys`; empty if there is none.
std::string said_where(const Table& table, const Keys& keys, std::string_view column) {
    for (std::size_t row = 0; row < table.row_count(); ++row) {
        bool fits = true;
        for (const auto& [name, value] : keys)
            fits = fits && said(table.cell(row, *find_column(table.spec(), name))) == value;
        if (fits) return said(table.cell(row, *find_column(table.spec(), column)));
    }
    return {};
}

double milliseconds(const std::string& nanos) {
    return nanos.empty() ? NAN : std::stod(nanos) / 1e6;
}

}  // namespace

TEST_CASE("synchronisations: caller and reason") {
    const TracePtr trace =
        testing::GpuTraceMaker()
            .call("cudaLaunchKernel", 0, 5, 1)
            .work("k1", 10, 20, 1)
            .call("cudaLaunchKernel", 5, 1, 2)
            .work("k2", 12, 100, 2, 8)
            .call("cudaLaunchKernel", 7, 1, 3)
            .work("k3", 30, 10, 3)
            // It waits for the last launch's stream; the other stream continues to work.
            .call("cudaStreamSynchronize", 10, 40)
            .call("aten::item", 60, 30, 0, 1, "cpu_op")
            .call("aten::_local_scalar_dense", 61, 28, 0, 1, "cpu_op")
            .call("cudaMemcpyAsync", 62, 12, 4)
            .work("Memcpy DtoH (Device -> Pinned)", 70, 2, 4, 7, "gpu_memcpy")
            .call("cudaStreamSynchronize", 75, 10)
            .call("aten::to", 120, 30, 0, 1, "cpu_op")
            .call("aten::copy_", 121, 28, 0, 1, "cpu_op")
            .call("cudaMemcpyAsync", 122, 20, 5)
            .work("Memcpy HtoD (Pageable -> Device)", 130, 15, 5, 7, "gpu_memcpy")
            .call("cudaStreamSynchronize", 143, 5)
            // Returns before the copy begins: nothing waits.
            .call("cudaMemcpyAsync", 160, 2, 6)
            .work("Memcpy HtoD (Pageable -> Device)", 170, 5, 6, 7, "gpu_memcpy")
            .call("aten::nonzero", 180, 20, 0, 1, "cpu_op")
            .call("cudaMemcpy", 182, 3, 7)
            .work("Memcpy DtoD (Device -> Device)", 190, 1, 7, 7, "gpu_memcpy")
            .call("cudaEventSynchronize", 192, 4)
            .call("cudaDeviceSynchronize", 210, 2)
            .call("cudaDeviceSynchronize", 220, 5)
            .load();
    const TraceContext context(trace);
    const std::vector<Synchronisation> syncs = synchronisations(context, {});
    const std::map<Nanos, std::string> expected = {
        {10, "program: k3"},
        {75, "item: Memcpy DtoH (Device -> Pinned)"},
        {122, "copy: Memcpy HtoD (Pageable -> Device)"},
        {143, "copy: Memcpy HtoD (Pageable -> Device)"},
        {192, "operator: Memcpy DtoD (Device -> Device)"},
        {210, "program: Memcpy DtoD (Device -> Device)"},
        {220, "profiler: Memcpy DtoD (Device -> Device)"},
    };
    CHECK(descriptions(*trace, syncs) == expected);
    REQUIRE(syncs.size() == 7);
    CHECK(syncs[0].waited == 30'000);
    CHECK(syncs[0].stream == 7);
    CHECK(syncs[1].is_copy);
    CHECK(syncs[1].waited == 20'000);  // it returned before the GPU was done
    CHECK(syncs[2].waited == 0);
    CHECK(trace->name(syncs[2].op) == "aten::_local_scalar_dense");
    CHECK(trace->name(syncs[2].outer_op) == "aten::item");

    const Table by_call = synchronisations_by_call_table(context, {});
    const auto calls = [&](std::string_view call, std::string_view asked_by) {
        return said_where(
            by_call, {{"call", std::string(call)}, {"asked_by", std::string(asked_by)}}, "calls");
    };
    CHECK(calls("cudaDeviceSynchronize", "profiler") == "1");
    CHECK(calls("cudaDeviceSynchronize", "program") == "1");
    CHECK(calls("cudaStreamSynchronize", "program") == "3");
    const Table by_cause = synchronisations_by_cause_table(context, {});
    // One copy, for which two calls waited.
    CHECK(said_where(by_cause, {{"operator", "aten::to"}}, "calls") == "2");
    CHECK(said_where(by_cause, {{"operator", "aten::to"}}, "copies") == "1");
    CHECK(said_where(by_cause, {{"operator", "aten::to"}}, "copy_ns") == "15000");
    const Table all = synchronisations_table(context, {});
    CHECK(said_where(all, {{"start_ns", "75000"}}, "origin") ==
          "aten::_local_scalar_dense ← aten::item");
    CHECK(synchronisations(context, {TimeRange{trace->origin + 130'000, trace->origin + 150'000}})
              .size() == 1);
}

TEST_CASE("synchronisations: the stream named in a record") {
    const TracePtr trace = testing::loaded(R"({"traceEvents":[
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":0,"dur":2,"args":{"correlation":1}},
{"ph":"X","cat":"kernel","name":"short","pid":0,"tid":7,"ts":3,"dur":4,"args":{"device":0,"stream":7,"correlation":1}},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":2,"dur":1,"args":{"correlation":2}},
{"ph":"X","cat":"kernel","name":"long","pid":0,"tid":8,"ts":4,"dur":20,"args":{"device":0,"stream":8,"correlation":2}},
{"ph":"X","cat":"cuda_runtime","name":"cudaStreamSynchronize","pid":1,"tid":1,"ts":5,"dur":30,"args":{"correlation":3}},
{"ph":"X","cat":"cuda_sync","name":"Stream Sync","pid":0,"tid":7,"ts":5,"dur":30,"args":{"cuda_sync_kind":"Stream Sync","stream":7,"correlation":3}}
]})");
    const std::vector<Synchronisation> syncs = synchronisations(TraceContext(trace), {});
    REQUIRE(syncs.size() == 1);
    CHECK(syncs[0].stream == 7);
    CHECK(waited_for(*trace, syncs[0]) == "short");
    CHECK(syncs[0].waited == 2'000);
}

TEST_CASE("synchronisations: without a GPU or calls") {
    const TraceContext none(TraceMaker().finish());
    CHECK(synchronisations_table(none, {}).row_count() == 0);
    CHECK(synchronisations_by_call_table(none, {}).row_count() == 0);
    CHECK(synchronisations_by_cause_table(none, {}).row_count() == 0);
    const TracePtr trace = testing::GpuTraceMaker().call("cudaDeviceSynchronize", 0, 5).load();
    const std::vector<Synchronisation> syncs = synchronisations(TraceContext(trace), {});
    REQUIRE(syncs.size() == 1);
    CHECK(syncs[0].waited_for == kNoRow);
}

// Counted in the files by other means.
TEST_CASE("synchronisations: their cost in known traces") {
    const auto check_calls = [](const std::string& name, int64_t count, double time) {
        CAPTURE(name);
        if (testing::traces_here({name}).empty()) return;
        const TracePtr trace = testing::load_real_trace(name);
        REQUIRE(trace);
        const Table calls = synchronisations_by_call_table(TraceContext(trace), {});
        const Keys streams = {{"call", "cudaStreamSynchronize"}};
        CHECK(said_where(calls, streams, "calls") == std::to_string(count));
        CHECK(std::abs(milliseconds(said_where(calls, streams, "total_ns")) - time) < time / 5000);
    };
    check_calls("synthetic_step.json.gz", 3, 0.007022);
    check_calls("torch/h100_owlv2_shapes_stack_memory.json.gz", 80, 358.8);

    const auto check_copies = [](const std::string& name, int64_t copies, double time) {
        CAPTURE(name);
        if (testing::traces_here({name}).empty()) return;
        const TracePtr trace = testing::load_real_trace(name);
        REQUIRE(trace);
        const Table causes = synchronisations_by_cause_table(TraceContext(trace), {});
        const Keys of_copies = {{"cause", "copy"}, {"operator", "aten::to"}};
        CHECK(said_where(causes, of_copies, "copies") == std::to_string(copies));
        CHECK(std::abs(milliseconds(said_where(causes, of_copies, "copy_ns")) - time) <
              time / 1000);
    };
    check_copies("synthetic_step.json.gz", 3, 0.006759);
    check_copies("torch/a100_alexnet_sync.json.gz", 16, 55.5);
    check_copies("torch/rtx2080ti_resnet.json.gz", 61, 629.8);

    const std::pair<const char*, const char*> items[] = {
        {"synthetic_step.json.gz", "aten::item"},
        {"torch/h100_bert_small.json.gz", "aten::is_nonzero"}};
    for (const auto& [name, op] : items) {
        if (testing::traces_here({name}).empty()) continue;
        const TracePtr trace = testing::load_real_trace(name);
        REQUIRE(trace);
        const Table causes = synchronisations_by_cause_table(TraceContext(trace), {});
        CHECK(said_where(causes, {{"cause", "item"}}, "operator") == op);
    }
}

TEST_CASE("synchronisations: the profiler's own happens once in each process that it stopped in") {
    const std::map<std::string, std::size_t> more = {
        {"torch/mi300_rccl_merged_ranks_140mb.json.gz", 4}};
    for (const std::string& name : testing::traces_of_slow_tests(1)) {
        const TracePtr trace = testing::load_real_trace(name);
        if (!trace) return;
        CAPTURE(name);
        std::size_t of_device = 0;
        std::size_t of_profiler = 0;
        for (const Synchronisation& sync : synchronisations(TraceContext(trace), {})) {
            if (trace->name(sync.call).find("DeviceSynchronize") != std::string_view::npos)
                ++of_device;
            if (sync.cause == SyncCause::profiler) ++of_profiler;
            CHECK(sync.waited <= trace->duration(sync.call));
        }
        const auto found = more.find(name);
        const std::size_t processes = found == more.end() ? 1 : found->second;
        CHECK(of_profiler == (of_device == 0 ? 0 : processes));
    }
}

}  // namespace lanescope
