#include "core/ingest/kineto/kineto_categories.h"

#include <algorithm>
#include <array>

#include "core/trace/category.h"

namespace lanescope {

namespace {

constexpr std::array<std::string_view, 3> kLaunchCalls = {"cuda_runtime", "cuda_driver", "Runtime"};
// Flows from a launch to its activity, which have the same correlation.
constexpr std::array<std::string_view, 4> kLaunchFlows = {"ac2g", "async", "async_gpu",
                                                          "async_cpu_to_gpu"};

// torch_npu's flows from operators to their kernels, which have no correlation.
constexpr std::string_view kNpuLaunchFlow = "async_npu";

}  // namespace

CategoryMeaning kineto_category(std::string_view name) {
    CategoryMeaning meaning;
    meaning.event_class = classify_category(name);
    const auto add = [&](bool has, CategoryTrait trait) {
        if (has) meaning.traits |= trait;
    };
    add(is_gpu_activity_category(name), kGpuActivity);
    add(std::ranges::find(kLaunchCalls, name) != kLaunchCalls.end(), kLaunchCall);
    add(is_sample_category(name), kSampledCall);
    add(std::ranges::find(kLaunchFlows, name) != kLaunchFlows.end(), kRepeatsLaunch);
    add(name == "fwdbwd", kForwardBackward);
    add(name == kNpuLaunchFlow, kLaunchFlow);
    add(name == "Trace", kProfilerSpan);
    return meaning;
}

}  // namespace lanescope
