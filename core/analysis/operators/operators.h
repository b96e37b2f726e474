// The figures of torch.profiler's key_averages(), computed from the file alone: calls, time, memory
// and work of every operator, annotation, call and device activity.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/context.h"
#include "core/analysis/operators/torch_events.h"
#include "core/table/query.h"
#include "core/table/table.h"

namespace lanescope {

enum class OperatorsBy : uint8_t { name, shape, stack, module, step, thread };

struct OperatorRow {
    StringId name = 0;  // folded_step_name() for "ProfilerStep*"
    TorchRow kind = TorchRow::cpu;
    uint32_t group = 0;  // of OperatorRows::groups
    int64_t calls = 0;
    int64_t replayed_calls = 0;  // captured calls above replays; they took no CPU time
    Nanos cpu_total = 0;
    Nanos cpu_self = 0;
    Nanos device_total = 0;
    Nanos device_self = 0;
    Nanos device_total_by_launch = 0;
    Nanos device_self_by_launch = 0;
    int64_t memory_total[2] = {0, 0};  // bytes on the CPU and on devices
    int64_t memory_self[2] = {0, 0};
    std::optional<int64_t> flop;
    SliceRef longest;
    Nanos longest_duration = -1;
    uint64_t longest_place = 0;  // lane and index; the first among equally long events
    // Start of the first event: rows are in this order, as in torch's tables.
    Nanos first_start = 0;
    Nanos first_duration = 0;
    uint64_t first_source = 0;
};

struct OperatorRows {
    std::vector<OperatorRow> rows;    // sorted by first event
    std::vector<std::string> groups;  // [0] is empty: no shapes, no step, …
};

// Sums for a lane by name, kind, thread and step; coarser groupings are computed from these.
struct OperatorSums {
    struct Group {
        LaneId thread = 0;  // events that torch moves to another lane keep their own thread
        uint32_t step = kNoRow;
    };
    std::vector<OperatorRow> rows;
    std::vector<Group> groups;  // by OperatorRow::group
};
// One element for each lane.
std::vector<OperatorSums> operator_sums(const TraceContext& context,
                                        std::optional<TimeRange> range);

// The sums of the whole trace.
struct OperatorSumsByLane {
    std::vector<OperatorSums> by_lane;

    static OperatorSumsByLane compute(const TraceContext& context);
};

// The operators without groups.
OperatorRows operators_by_name(const TraceContext& context, std::optional<TimeRange> range);

// The operators of the whole trace, grouped by name.
struct AllOperators {
    OperatorRows by_name;

    static AllOperators compute(const TraceContext& context);
};

// An event counts if it begins in the range.
OperatorRows operator_rows(const TraceContext& context, OperatorsBy grouping,
                           std::optional<TimeRange> range);

extern const TableOf<struct OperatorTableRow> kOperatorsTable, kOperatorsByShapeTable,
    kOperatorsByStackTable, kOperatorsByModuleTable, kOperatorsByStepTable, kOperatorsByThreadTable;

template <OperatorsBy grouping>
Table operators_table(const TraceContext& context, const TableQuery& query);

}  // namespace lanescope
