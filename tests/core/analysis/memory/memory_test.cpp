#include "core/analysis/memory/memory.h"

#include <doctest/doctest.h>

#include <map>
#include <set>
#include <string>

#include "core/analysis/statistics/sections.h"
#include "core/analysis/structure/steps.h"
#include "tests/core/ingest/loaded_text.h"
#include "tests/core/real_traces.h"

namespace lanescope {

namespace {

const char* const kThreeBlocks = R"({"traceEvents": [
{"ph":"X","cat":"cpu_op","name":"outer","pid":1,"tid":1,"ts":0,"dur":100},
{"ph":"X","cat":"cpu_op","name":"inner","pid":1,"tid":1,"ts":10,"dur":20},
{"ph":"i","s":"t","cat":"cpu_instant_event","name":"[memory]","pid":1,"tid":1,"ts":5,"args":{"Device Type":1,"Device Id":0,"Addr":64,"Bytes":1000,"Total Allocated":6000,"Total Reserved":9000}},
{"ph":"i","s":"t","cat":"cpu_instant_event","name":"[memory]","pid":1,"tid":1,"ts":15,"args":{"Device Type":1,"Device Id":0,"Addr":128,"Bytes":300,"Total Allocated":6300,"Total Reserved":9000}},
{"ph":"i","s":"t","cat":"cpu_instant_event","name":"[memory]","pid":1,"tid":1,"ts":25,"args":{"Device Type":1,"Device Id":0,"Addr":64,"Bytes":-1000,"Total Allocated":5300,"Total Reserved":9000}},
{"ph":"i","s":"t","cat":"cpu_instant_event","name":"[memory]","pid":1,"tid":1,"ts":120,"args":{"Device Type":1,"Device Id":0,"Addr":64,"Bytes":50,"Total Allocated":5350,"Total Reserved":9500}}
]})";

Cell value(const Table& table, std::size_t row, std::string_view column) {
    return table.cell(row, *find_column(table.spec(), column));
}
int64_t whole(const Table& table, std::size_t row, std::string_view column) {
    return std::get<int64_t>(value(table, row, column));
}
std::string text(const Table& table, std::size_t row, std::string_view column) {
    const Cell cell = value(table, row, column);
    const auto* const found = std::get_if<std::string_view>(&cell);
    return found ? std::string(*found) : "-";
}

}  // namespace

TEST_CASE("a device's memory: peak, memory from before the trace, fragmentation, unfreed blocks") {
    const TraceContext context(testing::loaded(kThreeBlocks));
    const Table table = memory_table(context, {});
    REQUIRE(table.row_count() == 1);
    CHECK(text(table, 0, "device") == "GPU 0");
    CHECK(whole(table, 0, "allocations") == 3);
    CHECK(whole(table, 0, "frees") == 1);
    CHECK(whole(table, 0, "peak_allocated_bytes") == 6300);
    CHECK(whole(table, 0, "peak_start_ns") == 15'000);
    CHECK(text(table, 0, "peak_operator") == "inner");
    CHECK(whole(table, 0, "earlier_bytes") == 5000);
    CHECK(whole(table, 0, "fragmentation_bytes") == 2700);
    CHECK(whole(table, 0, "max_fragmentation_bytes") == 4150);
    CHECK(whole(table, 0, "peak_reserved_bytes") == 9500);
    CHECK(whole(table, 0, "unfreed_bytes") == 350);
}

TEST_CASE("a row of memory by step leads to the step") {
    const TracePtr trace = testing::load_real_trace("synthetic_step.json.gz");
    REQUIRE(trace);
    const TraceContext context(trace);
    const Steps& steps = context.get<Steps>();
    const Table table = memory_by_step_table(context, {});
    uint32_t found = 0;
    for (std::size_t row = 0; row < table.row_count(); ++row) {
        for (uint32_t step = 0; step < steps.all.size(); ++step) {
            if (text(table, row, "step") != step_label(*trace, steps, step)) continue;
            CHECK(table.target(row).slice == steps.all[step].slice);
            CHECK(table.target(row).range == steps.all[step].range);
            ++found;
        }
    }
    CHECK(found >= 3);
}

TEST_CASE("each block belongs to the operator that allocated it, or to none") {
    const TraceContext context(testing::loaded(kThreeBlocks));
    const Table operators = memory_by_operator_table(context, {});
    REQUIRE(operators.row_count() == 3);
    std::map<std::string, int64_t> at_peak;
    for (std::size_t row = 0; row < 3; ++row)
        at_peak[text(operators, row, "operator")] = whole(operators, row, "at_peak_bytes");
    CHECK(at_peak == std::map<std::string, int64_t>{{"outer", 1000}, {"inner", 300}, {"-", 0}});
    const Table unfreed = memory_by_unfreed_table(context, {});
    REQUIRE(unfreed.row_count() == 2);
    CHECK(whole(unfreed, 0, "size_bytes") == 300);
    const Table largest = memory_by_largest_table(context, {});
    CHECK(whole(largest, 0, "size_bytes") == 1000);
    CHECK(whole(largest, 0, "duration_ns") == 20'000);
    CHECK(memory_by_module_table(context, {}).row_count() == 1);
}

TEST_CASE("a block allocated as a call begins belongs to the call; one as it ends does not") {
    const TraceContext context(testing::loaded(R"({"traceEvents": [
{"ph":"X","cat":"cpu_op","name":"op","pid":1,"tid":1,"ts":10,"dur":20},
{"ph":"i","s":"t","cat":"cpu_instant_event","name":"[memory]","pid":1,"tid":1,"ts":10,"args":{"Device Type":1,"Device Id":0,"Addr":64,"Bytes":1000,"Total Allocated":1000,"Total Reserved":9000}},
{"ph":"i","s":"t","cat":"cpu_instant_event","name":"[memory]","pid":1,"tid":1,"ts":30,"args":{"Device Type":1,"Device Id":0,"Addr":128,"Bytes":300,"Total Allocated":1300,"Total Reserved":9000}}
]})"));
    const Table operators = memory_by_operator_table(context, {});
    REQUIRE(operators.row_count() == 2);
    std::map<std::string, int64_t> at_peak;
    for (std::size_t row = 0; row < 2; ++row)
        at_peak[text(operators, row, "operator")] = whole(operators, row, "at_peak_bytes");
    CHECK(at_peak == std::map<std::string, int64_t>{{"op", 1000}, {"-", 300}});
}

TEST_CASE("a range counts its own allocations and has its own peak") {
    const TracePtr trace = testing::loaded(kThreeBlocks);
    const TraceContext context(trace);
    TableQuery query;
    query.range = TimeRange{trace->origin + 20'000, trace->origin + 100'000};
    const Table table = memory_table(context, query);
    CHECK(whole(table, 0, "allocations") == 0);
    CHECK(whole(table, 0, "frees") == 1);
    CHECK(whole(table, 0, "peak_allocated_bytes") == 5300);
    query.range = TimeRange{trace->origin + 30'000, trace->origin + 40'000};
    CHECK(std::holds_alternative<std::monostate>(
        value(memory_table(context, query), 0, "peak_allocated_bytes")));
}

TEST_CASE("the peak on a GPU is found, with all blocks alive then") {
    struct Peak {
        const char* trace;
        const char* device;
        int64_t bytes;
        const char* op;          // that allocated last
        const char* largest_op;  // whose blocks take most
    };
    const Peak all[] = {
        {"synthetic_step.json.gz", "GPU 0", 111'149'056, "aten::_log_softmax", "aten::addmm"},
        {"torch/v100_memory_nccl.json.gz", "GPU 1", 6'629'508'096, "aten::empty", "aten::mm"},
    };
    for (const Peak& peak : all) {
        if (testing::traces_here({peak.trace}).empty()) continue;
        CAPTURE(peak.trace);
        const TracePtr trace = testing::load_real_trace(peak.trace);
        REQUIRE(trace);
        const TraceContext context(trace);
        const Table table = memory_table(context, {});
        REQUIRE(table.row_count() == 2);
        CHECK(text(table, 1, "device") == peak.device);
        CHECK(whole(table, 1, "peak_allocated_bytes") == peak.bytes);
        CHECK(text(table, 1, "peak_operator") == peak.op);
        // The peak is the sum of the operators' blocks and earlier allocations.
        const Table operators = memory_by_operator_table(context, {});
        int64_t at_peak = whole(table, 1, "earlier_bytes");
        for (std::size_t row = 0; row < operators.row_count(); ++row)
            if (text(operators, row, "device") == peak.device)
                at_peak += whole(operators, row, "at_peak_bytes");
        CHECK(at_peak == peak.bytes);
        CHECK(text(operators, 0, "operator") == peak.largest_op);
    }
}

TEST_CASE("the peak on a CPU is found") {
    const TracePtr trace =
        testing::load_real_trace("torch_cpu/transformer_train_shapes_memory_flops.json.gz");
    if (!trace) return;
    const Table table = memory_table(TraceContext(trace), {});
    REQUIRE(table.row_count() == 1);
    CHECK(whole(table, 0, "peak_allocated_bytes") == 1'364'632);
    CHECK(whole(table, 0, "earlier_bytes") == 0);
    CHECK(std::holds_alternative<std::monostate>(value(table, 0, "fragmentation_bytes")));
}

TEST_CASE("modules that were recorded own memory, in deep stacks too") {
    struct Largest {
        const char* trace;
        const char* op;
        const char* module;
        int64_t bytes;
    };
    const Largest all[] = {
        {"synthetic_step.json.gz", "aten::addmm", "nn.Module: Linear_8", 8 << 20},
        {"torch/h100_owlv2_shapes_stack_memory.json.gz", "aten::bmm", "nn.Module: Owlv2Attention_0",
         860'295'680},
    };
    for (const Largest& expected : all) {
        if (testing::traces_here({expected.trace}).empty()) continue;
        CAPTURE(expected.trace);
        const TracePtr trace = testing::load_real_trace(expected.trace);
        REQUIRE(trace);
        const Table largest = memory_by_largest_table(TraceContext(trace), {});
        CHECK(text(largest, 0, "operator") == expected.op);
        CHECK(text(largest, 0, "module") == expected.module);
        CHECK(whole(largest, 0, "size_bytes") == expected.bytes);
    }
}

TEST_CASE("sections are repeated annotations; all steps are one section") {
    struct Sections {
        const char* trace;
        uint64_t steps;
        double milliseconds;  // the median step
        std::size_t row;      // of nccl:all_reduce
        uint64_t reductions;
    };
    const Sections all[] = {{"synthetic_step.json.gz", 3, 2.593263, 3, 9},
                            {"torch/v100_memory_nccl.json.gz", 5, 345.77, 1, 2020}};
    for (const Sections& expected : all) {
        if (testing::traces_here({expected.trace}).empty()) continue;
        CAPTURE(expected.trace);
        const TracePtr trace = testing::load_real_trace(expected.trace);
        REQUIRE(trace);
        const auto rows = section_rows(TraceContext(trace), {});
        REQUIRE(rows.size() >= 3);
        CHECK(rows[0].name == "ProfilerStep*");
        CHECK(rows[0].runs == expected.steps);
        CHECK(rows[0].durations.p50 / 1e6 == doctest::Approx(expected.milliseconds).epsilon(2e-5));
        CHECK(rows.at(expected.row).name == "nccl:all_reduce");
        CHECK(rows.at(expected.row).runs == expected.reductions);
        std::set<std::string> names;
        for (const SectionRow& row : rows) CHECK(names.insert(row.name).second);
    }
}

TEST_CASE("the warm-up of a section is counted and left out") {
    std::string events;
    for (int i = 0; i < 10; ++i)
        events += R"({"ph":"X","cat":"user_annotation","name":"load","pid":1,"tid":1,"ts":)" +
                  std::to_string(i * 1000) + R"(,"dur":)" + std::to_string(i < 2 ? 500 : 100 + i) +
                  "},";
    events.pop_back();
    const TraceContext context(testing::loaded("{\"traceEvents\": [" + events + "]}"));
    const auto rows = section_rows(context, {});
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].runs == 10);
    CHECK(rows[0].warm_up == 2);
    CHECK(rows[0].durations.count == 8);
    CHECK(rows[0].durations.max == 109'000);
    CHECK(rows[0].durations.mean == 105'500);
}

}  // namespace lanescope
