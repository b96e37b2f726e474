// KernelFamilies: the family of each kernel, copy and set.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/trace/kernel_family.h"
#include "core/trace/trace.h"

namespace lanescope {

class TraceContext;

struct KernelFamilies {
    // By row of Trace::gpu_activities: the family by the kernel's name; if the name does not show
    // it, by the innermost operator around the launch that does.
    std::vector<KernelFamily> by_row;

    // The family that takes the most time in the given rows.
    KernelFamily of(const Trace& trace, std::span<const uint32_t> rows) const;

    static KernelFamilies compute(const TraceContext& context);
};

}  // namespace lanescope
