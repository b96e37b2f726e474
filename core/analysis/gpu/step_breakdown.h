// How a step's time divides, as in PyTorch's TensorBoard plugin: each moment counts for the first
// of the parts that runs then.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/analysis/context.h"
#include "core/table/query.h"
#include "core/table/table.h"

namespace lanescope {

extern const TableOf<struct StepBreakdownTableRow> kStepsByBreakdownTable;

enum class StepPart : uint8_t {
    kernel,  // that is no collective's
    copy,
    set,
    communication,  // kernels of collectives, and calls such as "nccl:all_reduce"
    runtime,
    data_loader,
    cpu,    // operators and annotations
    other,  // nothing of these
};
inline constexpr std::size_t kStepPartCount = 8;

struct StepBreakdown {
    uint32_t step = 0;  // of Steps::all
    // From the end of the previous step, or its own begin on the CPU if that is later, to its end
    // on the CPU or the end of the last activity launched in it, whichever is later.
    TimeRange range;
    std::array<Nanos, kStepPartCount> parts = {};  // by StepPart; the sum is the range
};

// Whole steps that begin in the range, by process and time.
std::vector<StepBreakdown> step_breakdowns(const TraceContext& context, const TableQuery& query);

Table steps_by_breakdown_table(const TraceContext& context, const TableQuery& query);

}  // namespace lanescope
