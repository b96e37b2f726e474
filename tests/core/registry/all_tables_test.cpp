// Properties of all tables: odd traces and ranges are answered, numbers are finite, and unknown
// values are marked as such.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/parallel.h"
#include "core/export/tables/table_writer.h"
#include "core/registry/tables.h"
#include "tests/core/ingest/loaded_text.h"
#include "tests/core/real_traces.h"

namespace lanescope {

namespace {

// Differences, and not parts of a whole. HTA's sums of gaps between overlapping kernels are
// negative.
bool may_be_negative(const ColumnSpec& column) {
    return column.key == "drift" || column.key == "deviation" || column.key == "idle_time_ratio";
}

void check_cell(const ColumnSpec& column, const Cell& cell) {
    if (std::holds_alternative<std::monostate>(cell)) CHECK_FALSE(column.null.empty());
    if (const double* const real = std::get_if<double>(&cell)) {
        CHECK(std::isfinite(*real));
        if (column.unit == Unit::ratio && !may_be_negative(column)) CHECK(*real >= 0);
    }
    if (const int64_t* const whole = std::get_if<int64_t>(&cell))
        if (column.unit == Unit::count) CHECK(*whole >= 0);
}

void check_target(const Trace& trace, RowTarget target) {
    CHECK(target.range.begin <= target.range.end);
    if (!target.slice) return;
    REQUIRE(target.slice.lane < trace.lanes.size());
    CHECK(target.slice.index < trace.lanes[target.slice.lane].slice_count);
}

void check_table(const Trace& trace, const Table& table) {
    const std::span<const ColumnSpec> columns = table.spec().columns;
    for (std::size_t row = 0; row < table.row_count(); ++row) {
        check_target(trace, table.target(row));
        for (std::size_t c = 0; c < columns.size(); ++c) {
            CAPTURE(columns[c].key);
            check_cell(columns[c], table.cell(row, c));
        }
    }
}

void check_formats(const Table& table) {
    const auto json = nlohmann::json::parse(write_table(table, TableFormat::json), nullptr, false);
    REQUIRE_FALSE(json.is_discarded());
    CHECK(json.size() == table.row_count());
    for (const TableFormat format : {TableFormat::text, TableFormat::csv, TableFormat::markdown})
        CHECK_FALSE(write_table(table, format).empty());
}

// Tables may be computed by several threads from one context.
std::vector<Table> made_at_once(const TracePtr& trace, const TableQuery& query) {
    const TraceContext context(trace);
    const std::span<const TableMaker> makers = table_makers();
    std::vector<std::optional<Table>> made(makers.size());
    parallel_for(2, made.size(), [&](std::size_t i) { made[i] = makers[i].make(context, query); });
    std::vector<Table> tables;
    for (std::optional<Table>& table : made) tables.push_back(std::move(*table));
    return tables;
}

void check_all(const TracePtr& trace, std::optional<TimeRange> range) {
    REQUIRE(trace);
    const TraceContext context(trace);
    const std::vector<Table> at_once = made_at_once(trace, {range});
    REQUIRE(at_once.size() == table_makers().size());
    for (std::size_t i = 0; i < at_once.size(); ++i) {
        const TableMaker& maker = table_makers()[i];
        CAPTURE(maker.spec->name);
        CAPTURE(maker.spec->by);
        const Table table = maker.make(context, {range});
        check_table(*trace, table);
        check_formats(table);
        CHECK(&at_once[i].spec() == maker.spec);
        CHECK(write_table(at_once[i], TableFormat::csv) == write_table(table, TableFormat::csv));
    }
}

void check_ranges(const TracePtr& trace) {
    REQUIRE(trace);
    const Nanos begin = trace->origin;
    const Nanos end = trace->end;
    const Nanos middle = begin + (end - begin) / 2;
    for (const std::optional<TimeRange> range :
         {std::optional<TimeRange>(), std::optional(TimeRange{begin, middle}),
          std::optional(TimeRange{middle, middle}), std::optional(TimeRange{middle, middle + 1}),
          std::optional(TimeRange{begin - 2000, begin - 1000}),
          std::optional(TimeRange{end + 1000, end + 2000})}) {
        CAPTURE(range.has_value());
        check_all(trace, range);
    }
}

std::string event(std::string_view category, std::string_view name, int pid, int tid, double start,
                  double duration, std::string_view arguments) {
    return fmt::format(
        R"({{"ph":"X","cat":"{}","name":"{}","pid":{},"tid":{},"ts":{},"dur":{},"args":{{{}}}}})",
        category, name, pid, tid, start, duration, arguments);
}

TracePtr trace_of(const std::vector<std::string>& events) {
    return testing::loaded(fmt::format("{{\"traceEvents\":[{}]}}", fmt::join(events, ",\n")));
}

std::vector<std::string> work_on(int device, int stream, double start, double duration, int id) {
    return {event("cuda_runtime", "cudaLaunchKernel", 100, 1, start - 1, 0.5,
                  fmt::format(R"("correlation":{0},"External id":{0})", id)),
            event("kernel", "k", device, stream, start, duration,
                  fmt::format(R"("device":{},"stream":{},"correlation":{})", device, stream, id))};
}

}  // namespace

TEST_CASE("all tables: one event without a duration") {
    check_ranges(trace_of({event("cpu_op", "aten::mm", 1, 1, 5, 0, "")}));
    check_ranges(trace_of({event("kernel", "k", 0, 7, 5, 0, "")}));
    check_ranges(trace_of({event("user_annotation", "ProfilerStep#1", 1, 1, 5, 0, "")}));
    check_ranges(trace_of({event("Trace", "PyTorch Profiler (0)", 1, 1, 5, 0, "")}));
}

TEST_CASE("all tables: no GPU and no step") {
    check_ranges(trace_of({event("cpu_op", "aten::linear", 1, 1, 0, 10, ""),
                           event("cpu_op", "aten::mm", 1, 1, 2, 5, ""),
                           event("python_function", "f", 1, 1, 1, 8, "")}));
}

TEST_CASE("all tables: GPU work without a launch, and no CPU") {
    check_ranges(trace_of({event("kernel", "k", 0, 7, 0, 5, R"("device":0,"stream":7)"),
                           event("gpu_memcpy", "Memcpy HtoD", 0, 7, 9, 0, R"("bytes":0)"),
                           event("gpu_memset", "Memset", 0, 7, 9, 1, "")}));
}

TEST_CASE(
    "all tables: several devices, overlapping kernels on a stream, steps without a duration") {
    std::vector<std::string> events = {
        event("user_annotation", "ProfilerStep#1", 100, 1, 0, 50, ""),
        event("user_annotation", "ProfilerStep#2", 100, 1, 50, 0, ""),
        event("user_annotation", "ProfilerStep#3", 100, 1, 60, 40, ""),
        event("cpu_op", "nccl:all_reduce", 100, 1, 61, 5, "")};
    int id = 1;
    for (const int device : {0, 1})
        for (const int start : {5, 6, 10, 30, 62, 62, 90}) {
            const auto work = work_on(device, 7 + start % 2, start, 4, id++);
            events.insert(events.end(), work.begin(), work.end());
        }
    events.push_back(event("kernel", "ncclKernel_AllReduce", 1, 20, 63, 8, R"("device":1)"));
    check_ranges(trace_of(events));
}

TEST_CASE("all tables: frees without an allocation, and sizes of 0") {
    const auto memory = [](double time, int64_t bytes, int64_t total) {
        return fmt::format(R"({{"ph":"i","s":"t","name":"[memory]","pid":1,"tid":1,"ts":{},)"
                           R"("args":{{"Addr":77,"Bytes":{},"Total Allocated":{},)"
                           R"("Total Reserved":0,"Device Type":1,"Device Id":0}}}})",
                           time, bytes, total);
    };
    check_ranges(trace_of({event("cpu_op", "aten::empty", 1, 1, 0, 10, ""), memory(1, -64, -64),
                           memory(2, 0, -64), memory(3, 128, 64), memory(4, 256, 320)}));
}

TEST_CASE("all tables: neither categories nor names") {
    check_ranges(trace_of({R"({"ph":"X","name":"","pid":1,"tid":1,"ts":0,"dur":3})",
                           R"({"ph":"X","name":"b","pid":"p","tid":"t","ts":2,"dur":3})",
                           R"({"ph":"C","name":"c","pid":1,"ts":2,"args":{"v":1}})"}));
}

TEST_CASE("all tables: recorded traces") {
    const std::vector<std::string> names = testing::traces_here(
        {"synthetic_step.json.gz", "torch_cpu/transformer_train_shapes_memory_flops.json.gz",
         "torch/h100_bert_small.json.gz", "torch/a100_alexnet_sync.json.gz",
         "torch/mi300_sglang_decode_graph.json.gz", "torch/b300_sglang_overlapping_kernels.json.gz",
         "chrome/viztracer_pool.json"});
    for (const std::string& name : testing::fewer_if_slow(names, 0)) {
        CAPTURE(name);
        const TracePtr trace = testing::load_real_trace(name);
        if (!trace) return;
        check_all(trace, std::nullopt);
        const Nanos middle = trace->origin + (trace->end - trace->origin) / 2;
        check_all(trace, TimeRange{trace->origin, middle});
    }
}

}  // namespace lanescope
