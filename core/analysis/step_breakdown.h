// What a step's time goes to, as PyTorch's TensorBoard plugin tells it: each moment counts for the
// first of the parts that something of it runs in.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/analysis/tables.h"

namespace lanescope {

extern const TableSpec kStepsByBreakdownTable;

enum class StepPart : uint8_t {
    kernel,  // that is no collective's
    copy,
    set,
    communication,  // collectives' kernels, and calls such as "nccl:all_reduce"
    runtime,
    data_loader,
    cpu,    // operators and annotations
    other,  // nothing of these
};
inline constexpr std::size_t kStepPartCount = 8;

struct StepBreakdown {
    uint32_t step = 0;  // of Steps::all
    // From the end of the step before, or its own begin on the CPU, whichever is later, to its end
    // on the CPU or that of the last activity launched in it.
    TimeRange range;
    std::array<Nanos, kStepPartCount> parts = {};  // by StepPart; they add up to the range
};

// Steps that begin in the range, whole, by process and time.
std::vector<StepBreakdown> step_breakdowns(const TraceContext& context, const TableQuery& query);

Table steps_by_breakdown_table(const TraceContext& context, const TableQuery& query);

}  // namespace lanescope
