// One function for each rule, in a file of its own.
#pragma once

#include "core/insight/findings/rule.h"

namespace lanescope {

FindingRule allocator_churn();
FindingRule autograd_overhead();
FindingRule comm_exposed();
FindingRule comm_small();
FindingRule copies_not_overlapped();
FindingRule cpu_contention();
FindingRule dataloader_wait();
FindingRule dtype_casts();
FindingRule elementwise_chains();
FindingRule first_step_costs();
FindingRule fragmentation();
FindingRule gradient_zeroing();
FindingRule graph_breaks();
FindingRule kernel_compilation();
FindingRule kernel_variance();
FindingRule late_rank();
FindingRule layout_conversion();
FindingRule lookup_cost();
FindingRule low_occupancy();
FindingRule low_waves();
FindingRule memory_growth();
FindingRule near_capacity();
FindingRule no_tensor_cores();
FindingRule overhead_bound();
FindingRule pageable_copies();
FindingRule profiler_overhead_rule();
FindingRule python_overhead();
FindingRule recompiles();
FindingRule recompute();
FindingRule redundant_copies();
FindingRule step_outlier();
FindingRule sync_in_step();
FindingRule throttling();
FindingRule tiny_kernels();
FindingRule trace_problems();
FindingRule unaligned_gemm();
FindingRule unexplained_idle();
FindingRule unfused_attention();
FindingRule unfused_optimizer();

}  // namespace lanescope
