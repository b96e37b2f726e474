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
    // By row of Trace::gpu_activities: by the kernel's name, or, if it does not say the family, by
    // the innermost operator around its launch that does.
    std::vector<KernelFamily> by_row;

    // The family with the most time of some rows.
    KernelFamily of(const Trace& trace, std::span<const uint32_t> rows) const;

    static KernelFamilies compute(const TraceContext& context);
};

}  // namespace lanescope
