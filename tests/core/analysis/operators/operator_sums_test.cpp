// The sums of operators' times, for all groupings.
#include <doctest/doctest.h>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/operators/operators.h"
#include "core/analysis/operators/torch_events.h"
#include "core/base/intervals.h"
#include "tests/core/real_traces.h"
#include "tests/core/trace_maker.h"

namespace lanescope {

namespace {

using Sums = std::vector<int64_t>;

void add(Sums& sums, const OperatorRow& row) {
    const Sums values = {row.calls,
                         row.cpu_total,
                         row.cpu_self,
                         row.device_total,
                         row.device_self,
                         row.device_total_by_launch,
                         row.device_self_by_launch,
                         row.memory_total[0],
                         row.memory_total[1],
                         row.memory_self[0],
                         row.memory_self[1],
                         row.flop.value_or(0)};
    sums.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) sums[i] += values[i];
}

// By name and kind.
std::map<std::pair<StringId, TorchRow>, Sums> sums_of(const TraceContext& context, OperatorsBy by,
                                                      std::optional<TimeRange> range) {
    std::map<std::pair<StringId, TorchRow>, Sums> all;
    for (const OperatorRow& row : operator_rows(context, by, range).rows)
        add(all[{row.name, row.kind}], row);
    return all;
}

Nanos cpu_self(const TraceContext& context) {
    Nanos sum = 0;
    for (const OperatorRow& row : operator_rows(context, OperatorsBy::name, std::nullopt).rows)
        sum += row.cpu_self;
    return sum;
}

// Time in which a thread runs an operator, annotation or call that makes a row.
Nanos covered_time(const TraceContext& context) {
    Nanos sum = 0;
    for (LaneId lane = 0; lane < context.trace().lanes.size(); ++lane) {
        std::vector<TimeRange> ranges;
        context.get<TorchEvents>().visit(
            lane, [&](const TorchEvent& event, uint32_t, const TorchSums*) {
                if (event.kind == TorchRow::cpu || event.kind == TorchRow::annotation)
                    ranges.push_back({event.start, event.start + event.duration});
            });
        sum += total_length(merged(std::move(ranges)));
    }
    return sum;
}

// Three steps of sixty operators, without shapes, stacks and modules.
TracePtr steps_of_operators() {
    TraceMaker maker;
    maker.process("1", "python");
    std::vector<std::string> names;
    for (int i = 0; i < 60; ++i) names.push_back("aten::op_" + std::to_string(i));
    const std::vector<std::string> steps = {"ProfilerStep#1", "ProfilerStep#2", "ProfilerStep#3"};
    std::vector<TestSlice> slices;
    for (Nanos i = 0; i < 3; ++i) {
        slices.push_back({1000 * i, 1000, steps[static_cast<std::size_t>(i)], "user_annotation"});
        for (Nanos k = 0; k < 60; ++k)
            slices.push_back({1000 * i + 10 * k, 1 + k % 7, names[static_cast<std::size_t>(k)]});
    }
    maker.lane({slices});
    maker.trace().end = 3000;
    return maker.finish();
}

}  // namespace

TEST_CASE("operators: every grouping adds up to the rows by name") {
    for (const std::string& name : testing::traces_here(
             {"synthetic_step.json.gz", "torch_cpu/transformer_train_shapes_memory_flops.json.gz",
              "torch/h100_bert_small.json.gz", "torch/cpu_only.json.gz",
              "torch/a100_nccl_groups.json.gz", "torch/resnet50_autograd_2020.json.gz",
              "torch/mtia_inference.json.gz"})) {
        CAPTURE(name);
        const TracePtr trace = testing::load_real_trace(name);
        if (!trace) return;
        const TraceContext context(trace);
        const TimeRange half{trace->origin, trace->origin + (trace->end - trace->origin) / 2};
        for (const std::optional<TimeRange> range :
             {std::optional<TimeRange>(), std::optional(half)}) {
            const auto by_name = sums_of(context, OperatorsBy::name, range);
            CHECK_FALSE(by_name.empty());
            for (const OperatorsBy by :
                 {OperatorsBy::shape, OperatorsBy::stack, OperatorsBy::module, OperatorsBy::step,
                  OperatorsBy::thread}) {
                CAPTURE(static_cast<int>(by));
                CHECK((sums_of(context, by, range) == by_name));
            }
        }
    }
}

TEST_CASE("operators: self times add up to the time of the outermost") {
    for (const std::string& name : testing::traces_here(
             {"synthetic_step.json.gz", "torch_cpu/transformer_train_shapes_memory_flops.json.gz",
              "torch/h100_bert_small.json.gz", "torch/a100_nccl_groups.json.gz",
              "torch/v100_memory_nccl.json.gz"})) {
        CAPTURE(name);
        const TracePtr trace = testing::load_real_trace(name);
        if (!trace) return;
        const TraceContext context(trace);
        CHECK(cpu_self(context) == covered_time(context));
    }
}

TEST_CASE("without groups, the grouping by group equals the one by name") {
    std::vector<TracePtr> traces = {steps_of_operators()};
    for (const std::string& name : testing::traces_here({"torch/v100_memory_nccl.json.gz"}))
        traces.push_back(testing::load_real_trace(name));
    for (const TracePtr& trace : traces) {
        REQUIRE(trace);
        REQUIRE(trace->operators.input_dims.empty());
        REQUIRE(trace->operators.call_stack.empty());
        const TraceContext context(trace);
        const TimeRange half{trace->origin, trace->origin + (trace->end - trace->origin) / 2};
        for (const std::optional<TimeRange>& range :
             {std::optional<TimeRange>(), std::optional(half)}) {
            const std::vector<OperatorRow> plain = operators_by_name(context, range).rows;
            REQUIRE(plain.size() > 50);
            for (const OperatorsBy by :
                 {OperatorsBy::name, OperatorsBy::shape, OperatorsBy::stack, OperatorsBy::module}) {
                const OperatorRows rows = operator_rows(context, by, range);
                REQUIRE(rows.rows.size() == plain.size());
                for (std::size_t i = 0; i < plain.size(); ++i) {
                    CHECK(rows.rows[i].name == plain[i].name);
                    CHECK(rows.rows[i].calls == plain[i].calls);
                    CHECK(rows.rows[i].group < rows.groups.size());
                }
            }
            CHECK(operator_rows(context, OperatorsBy::step, range).rows.size() > plain.size());
        }
    }
}

}  // namespace lanescope
