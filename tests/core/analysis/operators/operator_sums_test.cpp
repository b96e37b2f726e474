// The sums of operators' times, for all groupings.
#include <doctest/doctest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/operators/operators.h"
#include "core/analysis/operators/torch_events.h"
#include "core/base/intervals.h"
#include "tests/core/real_traces.h"

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

}  // namespace lanescope
