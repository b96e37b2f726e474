#include "core/analysis/operators/operators.h"

#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "core/analysis/operators/torch_flops.h"
#include "core/export/tables/torch_table.h"
#include "tests/core/ingest/loaded_text.h"
#include "tests/core/real_traces.h"
#include "tests/core/trace_maker.h"

namespace lanescope {

namespace {

using Json = nlohmann::json;

struct TorchEvidence {
    std::string trace;
    Json tables;
};

TorchEvidence evidence_of(const std::string& name) {
    const std::string path = testing::real_trace("torch_cpu/" + name + ".table.json");
    if (path.empty()) return {};
    std::ifstream file(path);
    return {"torch_cpu/" + name + ".json.gz", Json::parse(file)};
}

const std::vector<std::string> kTables = {"compiled_with_recompile", "convnet_stack", "threads_jit",
                                          "transformer_train_shapes_memory_flops"};

int64_t nanoseconds(const Json& microseconds) {
    return std::llround(microseconds.get<double>() * 1000);
}

// Known differences of rows; everything else must be equal.
bool flops_not_in_the_file(const std::string& table, const std::string& op) {
    // Two of its additions use fake tensors, for which the file has no dimensions.
    if (table == "compiled_with_recompile" && op == "aten::add") return true;
    // Recorded without with_flops: torch counts nothing, although the shapes allow it.
    return table == "threads_jit";
}

int compare_rows(const std::string& name, const Json& wanted, const OperatorRows& got,
                 const Trace& trace, bool by_shape) {
    int equal = 0;
    REQUIRE(wanted.size() == got.rows.size());
    for (std::size_t i = 0; i < got.rows.size(); ++i) {
        const OperatorRow& row = got.rows[i];
        const Json& torch = wanted[i];
        const std::string op = torch["name"];
        CAPTURE(op);
        const std::string here = row.name == folded_step_name(trace)
                                     ? "ProfilerStep*"
                                     : std::string(trace.strings[row.name]);
        CHECK(here == op);
        CHECK((row.kind == TorchRow::annotation) == torch["user_annotation"].get<bool>());
        if (by_shape)
            CHECK((row.group == 0 ? "[]" : got.groups[row.group]) ==
                  torch["shapes"].get<std::string>());
        CHECK(row.calls == torch["calls"].get<int64_t>());
        CHECK(row.cpu_total == nanoseconds(torch["cpu_total_us"]));
        CHECK(row.cpu_self == nanoseconds(torch["self_cpu_us"]));
        CHECK(row.device_total == nanoseconds(torch["device_total_us"]));
        CHECK(row.device_self == nanoseconds(torch["self_device_us"]));
        CHECK(row.memory_total[0] == torch["cpu_mem"].get<int64_t>());
        CHECK(row.memory_self[0] == torch["self_cpu_mem"].get<int64_t>());
        if (!flops_not_in_the_file(name, op))
            CHECK(row.flop.value_or(0) == torch["flops"].get<int64_t>());
        ++equal;
    }
    return equal;
}

std::vector<std::string> cells_in(const std::string& line) {
    std::vector<std::string> cells;
    std::istringstream words(line);
    for (std::string word; words >> word;) cells.push_back(word);
    return cells;
}

// torch sums doubles, so a mean exactly between two printed digits may round either way.
bool last_digit_apart(const std::string& a, const std::string& b) {
    double x = 0;
    double y = 0;
    std::string unit_x;
    std::string unit_y;
    if (!(std::istringstream(a) >> x >> unit_x) || !(std::istringstream(b) >> y >> unit_y))
        return false;
    return unit_x == unit_y && std::abs(x - y) < 0.0011;
}

void compare_text(const std::string& wanted, const std::string& got, int allowed_digits,
                  const std::string& op_without_flops = {}) {
    std::istringstream want_lines(wanted);
    std::istringstream got_lines(got);
    std::string want;
    std::string have;
    int digits = 0;
    while (std::getline(want_lines, want)) {
        if (want.empty()) continue;  // a printed table ends with an empty line
        REQUIRE(std::getline(got_lines, have));
        if (want == have) continue;
        CAPTURE(want);
        CAPTURE(have);
        CHECK(want.size() == have.size());
        const auto a = cells_in(want);
        const auto b = cells_in(have);
        REQUIRE(a.size() == b.size());
        for (std::size_t i = 0; i < a.size(); ++i) {
            if (a[i] == b[i]) continue;
            if (a[0] == op_without_flops && i + 1 == a.size()) continue;
            CHECK(last_digit_apart(a[i], b[i]));
            ++digits;
        }
    }
    CHECK_FALSE(std::getline(got_lines, have));
    CHECK(digits <= allowed_digits);
}

std::string torch_text(const TracePtr& trace, const char* sort, std::size_t limit) {
    Table table = operators_table<OperatorsBy::name>(TraceContext(trace), {});
    table.sort_by(*find_column(table.spec(), sort), false);
    return write_torch_table(table, *trace, limit);
}

}  // namespace

TEST_CASE("operators by name and by shape equal torch's own tables") {
    int rows = 0;
    for (const std::string& name : kTables) {
        CAPTURE(name);
        const TorchEvidence evidence = evidence_of(name);
        if (evidence.trace.empty()) return;
        const TracePtr trace = testing::load_real_trace(evidence.trace);
        REQUIRE(trace);
        const TraceContext context(trace);
        const Json& tables = evidence.tables["tables"];
        rows +=
            compare_rows(name, tables["by_name"],
                         operator_rows(context, OperatorsBy::name, std::nullopt), *trace, false);
        if (tables.contains("by_shape"))
            rows += compare_rows(name, tables["by_shape"],
                                 operator_rows(context, OperatorsBy::shape, std::nullopt), *trace,
                                 true);
    }
    CHECK(rows == 95 + 61 + 31 + 102 + 129 + 319);
}

TEST_CASE("the torch layout equals torch's output") {
    // The number of means that lie exactly between two digits, by table.
    const std::map<std::string, int> ties = {{"compiled_with_recompile", 0},
                                             {"convnet_stack", 1},
                                             {"threads_jit", 1},
                                             {"transformer_train_shapes_memory_flops", 1}};
    for (const auto& tie : ties) {
        const auto& name = tie.first;
        const int allowed = tie.second;
        CAPTURE(name);
        const TorchEvidence evidence = evidence_of(name);
        if (evidence.trace.empty()) return;
        const TracePtr trace = testing::load_real_trace(evidence.trace);
        REQUIRE(trace);
        compare_text(evidence.tables["text_sorted_by_self_cpu"],
                     torch_text(trace, "cpu_self_ns", 40), allowed,
                     name == "compiled_with_recompile" ? "aten::add" : "");
    }
    for (const std::string& name : testing::traces_here({"torch/rtx3090_vllm.pt.trace.json.gz"})) {
        std::ifstream file(testing::real_trace("torch/rtx3090_vllm.table.txt"));
        const std::string wanted{std::istreambuf_iterator<char>(file), {}};
        const TracePtr trace = testing::load_real_trace(name);
        REQUIRE(trace);
        compare_text(wanted, torch_text(trace, "device_self_ns", kTorchRowLimit), 1);
    }
}

TEST_CASE("the sums of an operators table hold in every trace and grouping") {
    for (const std::string& name : testing::traces_of_slow_tests(1)) {
        CAPTURE(name);
        const TracePtr trace = testing::load_real_trace(name);
        if (!trace) return;
        const TraceContext context(trace);
        const auto sums_of = [&](OperatorsBy by, std::optional<TimeRange> range) {
            std::array<int64_t, 6> sums{};
            for (const OperatorRow& row : operator_rows(context, by, range).rows) {
                CHECK(row.calls > 0);
                CHECK(row.longest);
                const std::array<int64_t, 6> values = {row.calls,        row.cpu_total,
                                                       row.cpu_self,     row.device_self,
                                                       row.device_total, row.memory_self[0]};
                for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += values[i];
            }
            return sums;
        };
        const auto plain = sums_of(OperatorsBy::name, std::nullopt);
        for (const OperatorsBy by : {OperatorsBy::shape, OperatorsBy::stack, OperatorsBy::module,
                                     OperatorsBy::step, OperatorsBy::thread})
            CHECK(sums_of(by, std::nullopt) == plain);
        const Nanos middle = trace->origin + (trace->end - trace->origin) / 2;
        auto halves = sums_of(OperatorsBy::name, TimeRange{trace->origin, middle});
        const auto second = sums_of(OperatorsBy::name, TimeRange{middle, trace->end + 1});
        for (std::size_t i = 0; i < halves.size(); ++i) halves[i] += second[i];
        CHECK(halves == plain);
    }
}

TEST_CASE("totals include children, and every GPU activity is in exactly one row") {
    for (const std::string& name : testing::traces_of_slow_tests(1)) {
        CAPTURE(name);
        const TracePtr trace = testing::load_real_trace(name);
        if (!trace) return;
        const TraceContext context(trace);
        int64_t devices = 0;
        for (const OperatorRow& row :
             operator_rows(context, OperatorsBy::name, std::nullopt).rows) {
            CHECK(row.device_total >= row.device_self);
            CHECK(row.device_total_by_launch >= row.device_self_by_launch);
            if (row.kind == TorchRow::device) devices += row.calls;
        }
        CHECK(devices >= static_cast<int64_t>(trace->gpu_activities.slice.size()));
    }
}

TEST_CASE("operators: an only child with its parent's name counts as the same call") {
    TraceMaker maker;
    maker.process("1", "python");
    maker.lane({{{0, 100, "a"},
                 {0, 90, "a"},
                 {10, 20, "b"},
                 {40, 20, "b"},
                 {200, 100, "c"},
                 {210, 10, "c"},
                 {230, 20, "d"}}});
    const TracePtr trace = maker.finish();
    const TraceContext context(trace);
    const OperatorRows all = operator_rows(context, OperatorsBy::name, std::nullopt);
    using RowSums = std::tuple<std::string, int64_t, Nanos, Nanos>;
    std::vector<RowSums> found;
    for (const OperatorRow& row : all.rows)
        found.emplace_back(trace->strings[row.name], row.calls, row.cpu_total, row.cpu_self);
    CHECK(found == std::vector<RowSums>{
                       {"a", 1, 100, 60}, {"b", 2, 40, 40}, {"c", 2, 110, 80}, {"d", 1, 20, 20}});
}

TEST_CASE("operators: kernels count for the operator with their id, from the id 1 on") {
    const TracePtr trace = testing::loaded(R"({"traceEvents": [
{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":0,"dur":50,"args":{"External id":1}},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":10,"dur":5,"args":{"External id":1,"correlation":7}},
{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":60,"dur":20,"args":{"External id":1,"device":0,"stream":7,"correlation":7}}
]})");
    const OperatorRows all = operator_rows(TraceContext(trace), OperatorsBy::name, std::nullopt);
    const auto mm =
        std::ranges::find(all.rows, trace->strings.find("aten::mm"), &OperatorRow::name);
    REQUIRE(mm != all.rows.end());
    CHECK(mm->device_self == 20'000);
}

TEST_CASE("operators: of several longest calls, the first is shown, whatever its step or thread") {
    TraceMaker maker;
    maker.process("1", "python");
    maker.lane({{{0, 1000, "ProfilerStep#1", "user_annotation"},
                 {1000, 1000, "ProfilerStep#2", "user_annotation"},
                 {100, 10, "a"},
                 {1100, 50, "a"},
                 {1200, 50, "a"},
                 {2500, 50, "a"}}});
    maker.lane({{{50, 50, "a"}}});
    const TracePtr trace = maker.finish();
    const TraceContext context(trace);
    const auto row_of = [&](OperatorsBy by, std::string_view group) {
        const OperatorRows all = operator_rows(context, by, std::nullopt);
        for (const OperatorRow& row : all.rows)
            if (row.name == trace->strings.find("a") && all.groups[row.group] == group) return row;
        return OperatorRow();
    };
    const OperatorRow by_name = row_of(OperatorsBy::name, "");
    CHECK(by_name.calls == 5);
    CHECK(by_name.longest.lane == 0);
    CHECK(trace->start(by_name.longest) == 1100);
    CHECK(by_name.first_start == 50);
    CHECK(trace->start(row_of(OperatorsBy::step, "ProfilerStep#1").longest) == 50);
    CHECK(trace->start(row_of(OperatorsBy::step, "").longest) == 2500);
    CHECK(row_of(OperatorsBy::thread, "lane 1").calls == 1);
    CHECK(row_of(OperatorsBy::thread, "lane 0").calls == 4);
}

TEST_CASE("operators by stack and by module use the frames around them") {
    TraceMaker maker;
    maker.process("1", "python");
    // main() calls a module, whose forward() runs an operator; main() also runs one itself.
    maker.lane({{{0, 100, "train.py(1): main", "python_function"},
                 {10, 40, "nn.Module: Linear_0", "python_function"},
                 {12, 30, "linear.py(9): forward", "python_function"},
                 {15, 20, "aten::mm"},
                 {60, 20, "aten::add"}}});
    const TraceContext context(maker.finish());
    const auto group_of = [&](OperatorsBy by, std::string_view name) {
        const OperatorRows rows = operator_rows(context, by, std::nullopt);
        for (const OperatorRow& row : rows.rows)
            if (context.trace().strings[row.name] == name) return rows.groups[row.group];
        return std::string("no row");
    };
    CHECK(group_of(OperatorsBy::stack, "aten::mm") ==
          "linear.py(9): forward; nn.Module: Linear_0; train.py(1): main");
    CHECK(group_of(OperatorsBy::stack, "aten::add") == "train.py(1): main");
    CHECK(group_of(OperatorsBy::module, "aten::mm") == "nn.Module: Linear_0");
    CHECK(group_of(OperatorsBy::module, "aten::add").empty());
}

TEST_CASE("a trace without operators has an empty table") {
    const TraceContext context(std::make_shared<Trace>());
    const Table table = operators_table<OperatorsBy::name>(context, {});
    CHECK(table.row_count() == 0);
    CHECK(write_torch_table(table, context.trace()).empty());
    CHECK(operators_table<OperatorsBy::stack>(context, {}).row_count() == 0);
}

TEST_CASE("FLOPs by torch's formulas") {
    CHECK(torch_flops("aten::mm", "[[4, 5], [5, 6]]", "") == 2 * 4 * 5 * 6);
    CHECK(torch_flops("aten::addmm", "[[6], [4, 5], [5, 6], [], []]", "") == 2 * 4 * 5 * 6);
    CHECK(torch_flops("aten::bmm", "[[3, 4, 5], [3, 5, 6]]", "") == 2 * 3 * 4 * 5 * 6);
    CHECK(torch_flops("aten::baddbmm", "[[3, 4, 6], [3, 4, 5], [3, 5, 6]]", "") ==
          2 * 3 * 4 * 5 * 6);
    CHECK(torch_flops("aten::mul", "[[7, 3], []]", "") == 21);
    CHECK(torch_flops("aten::add", "[[], []]", "") == 1);
    const auto conv = [](std::string_view groups) {
        const std::string arguments =
            R"(["", "", "", "[2, 1]", "[1, 0]", "[1, 2]", ")" + std::string(groups) + R"("])";
        return torch_flops("aten::conv2d", "[[2, 4, 9, 8], [6, 4, 3, 2], [6], [], [], [], []]",
                           arguments);
    };
    CHECK(conv("1") == 2 * 2 * 5 * 6 * 3 * 2 * 4 * 6);
    CHECK(conv("2") == 2 * 2 * 5 * 6 * 3 * 2 * 4 * 6 / 2);
    CHECK_FALSE(conv("0"));
    CHECK_FALSE(torch_flops("aten::sub", "[[4], [4]]", ""));
    CHECK_FALSE(torch_flops("aten::mm", "", ""));
    CHECK_FALSE(torch_flops("aten::mm", "[[4, 5]", ""));
    CHECK_FALSE(torch_flops("aten::mul", "[[4611686018427387904, 4]]", ""));
}

TEST_CASE("shapes are printed as torch prints them") {
    CHECK(spell_shapes(*parse_shapes("[[8, 16], []]")) == "[[8, 16], []]");
    CHECK(spell_shapes(*parse_shapes("[[8,16],[]]")) == "[[8, 16], []]");
    CHECK(spell_shapes(*parse_shapes("[[[1, 2], [3]], [4]]")) == "[[], [4]]");
    CHECK(spell_shapes(*parse_shapes("")) == "[]");
    CHECK_FALSE(parse_shapes("[[1, 2]"));
    CHECK_FALSE(parse_shapes("]"));
    CHECK_FALSE(parse_shapes("[1]"));
}

}  // namespace lanescope
