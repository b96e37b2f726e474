#include <array>

#include "core/insight/findings/rule.h"
#include "core/insight/findings/rule_list.h"

namespace lanescope {

std::span<const FindingRule> rules() {
    static const std::array all = {
        overhead_bound(),         first_step_costs(),      dataloader_wait(), sync_in_step(),
        pageable_copies(),        copies_not_overlapped(), tiny_kernels(),    unaligned_gemm(),
        unfused_attention(),      allocator_churn(),       comm_exposed(),    step_outlier(),
        profiler_overhead_rule(), trace_problems(),
    };
    return all;
}

}  // namespace lanescope
