// Matches the graphs and kernels of two compiled runs by what they compute.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/insight/compare/compiled_profile.h"

namespace lanescope {

inline constexpr uint32_t kNoGraph = ~uint32_t{0};

// Pairs graphs of the same function and direction: first those with the same kernels, then those
// that share the most operators. Returns pairs of indices in `a` and `b`; kNoGraph: no counterpart.
std::vector<std::pair<uint32_t, uint32_t>> matched_graphs(std::span<const ProfiledGraph> a,
                                                          std::span<const ProfiledGraph> b);

// Corresponding kernels, as indices in `a` and `b`. One side may be empty.
struct KernelGroup {
    std::vector<uint32_t> a, b;
    bool is_same = false;  // one kernel on each side, with the same operators
};
// Groups all kernels: first pairs with the same operators, then kernels that share operators of a
// line.
std::vector<KernelGroup> kernel_groups(const ProfiledGraph& a, const ProfiledGraph& b);

}  // namespace lanescope
