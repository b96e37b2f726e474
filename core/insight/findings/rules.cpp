#include <array>

#include "core/insight/findings/rule.h"
#include "core/insight/findings/rule_list.h"

namespace lanescope {

std::span<const FindingRule> rules() {
    static const std::array all = {
        overhead_bound(),
        unexplained_idle(),
        first_step_costs(),
        dataloader_wait(),
        sync_in_step(),
        pageable_copies(),
        copies_not_overlapped(),
        tiny_kernels(),
        python_overhead(),
        autograd_overhead(),
        cpu_contention(),
        recompute(),
        kernel_compilation(),
        recompiles(),
        graph_breaks(),
        lookup_cost(),
        low_waves(),
        low_occupancy(),
        no_tensor_cores(),
        unaligned_gemm(),
        layout_conversion(),
        dtype_casts(),
        redundant_copies(),
        unfused_attention(),
        unfused_optimizer(),
        gradient_zeroing(),
        elementwise_chains(),
        allocator_churn(),
        memory_growth(),
        near_capacity(),
        fragmentation(),
        comm_exposed(),
        comm_small(),
        late_rank(),
        kernel_variance(),
        throttling(),
        step_outlier(),
        profiler_overhead_rule(),
        trace_problems(),
    };
    return all;
}

}  // namespace lanescope
