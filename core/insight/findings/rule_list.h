// One function for each rule, in a file of its own.
#pragma once

#include "core/insight/findings/rule.h"

namespace lanescope {

FindingRule allocator_churn();
FindingRule comm_exposed();
FindingRule copies_not_overlapped();
FindingRule dataloader_wait();
FindingRule first_step_costs();
FindingRule overhead_bound();
FindingRule pageable_copies();
FindingRule profiler_overhead_rule();
FindingRule step_outlier();
FindingRule sync_in_step();
FindingRule tiny_kernels();
FindingRule trace_problems();
FindingRule unaligned_gemm();
FindingRule unfused_attention();

}  // namespace lanescope
