// All rules. Each is a struct in a source of this folder: see rule_class.h.
#pragma once

#include <cstddef>
#include <string_view>
#include <type_traits>

#include "core/insight/findings/rule.h"

namespace lanescope {

template <typename... Rules>
struct RuleTypes {
    template <typename Rule>
    static constexpr bool contains = (std::is_same_v<Rule, Rules> || ...);
    // The number of rules before this rule.
    template <typename Rule>
    static constexpr std::size_t place = [] {
        std::size_t before = 0;
        (void)((std::is_same_v<Rule, Rules> || (++before, false)) || ...);
        return before;
    }();
};

// In the order of `lanescope findings --list-thresholds`. A rule without a line here does not
// compile.
using AllRules = RuleTypes<
    // Idle time.
    struct OverheadBoundRule, struct UnexplainedIdleRule, struct FirstStepCostsRule,
    struct InputPreparationRule, struct DataloaderWaitRule, struct SyncInStepRule,
    struct PageableCopiesRule, struct CopiesNotOverlappedRule,
    // The host.
    struct TinyKernelsRule, struct PythonOverheadRule, struct AutogradOverheadRule,
    struct CpuContentionRule,
    // Recomputation and compilers.
    struct RecomputeRule, struct KernelCompilationRule, struct RecompilesRule,
    struct GraphBreaksRule, struct LookupCostRule,
    // Kernels.
    struct LowWavesRule, struct LowOccupancyRule, struct NoTensorCoresRule,
    struct UnalignedGemmRule, struct LayoutConversionRule, struct DtypeCastsRule,
    struct RedundantCopiesRule, struct UnfusedAttentionRule, struct UnfusedOptimizerRule,
    struct GradientZeroingRule, struct ElementwiseChainsRule, struct DecodeBelowBandwidthRule,
    // Memory.
    struct AllocatorChurnRule, struct MemoryGrowthRule, struct NearCapacityRule,
    struct FragmentationRule,
    // Several GPUs.
    struct CommExposedRule, struct CommSmallRule, struct LateRankRule,
    // Variation between kernels, clocks and steps.
    struct KernelVarianceRule, struct ThrottlingRule, struct StepOutlierRule,
    // The recording.
    struct ProfilerOverheadRule, struct TraceProblemsRule>;

// The source of each rule defines this function for its struct. rules.cpp calls it, and sees no
// struct of a rule.
template <typename Rule>
FindingRule rule_of();

// The ID of a rule, for findings and texts that refer to another rule.
template <typename Rule>
std::string_view id_of() {
    static_assert(AllRules::contains<Rule>, "this rule has no line in rule_list.h");
    return rules()[AllRules::place<Rule>].id;
}

}  // namespace lanescope
