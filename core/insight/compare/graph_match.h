// Matches the graphs and kernels of two compiled runs by what they compute.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/insight/compare/compiled_profile.h"

namespace lanescope {

inline constexpr uint32_t kNoGraph = ~uint32_t{0};

// Pairs of places in `a` and `b`; kNoGraph: there is none on that side. Graphs of one function and
// direction are paired: those with the same kernels first, then those that share most operators.
std::vector<std::pair<uint32_t, uint32_t>> matched_graphs(std::span<const ProfiledGraph> a,
                                                          std::span<const ProfiledGraph> b);

// Kernels that stand for each other, as places in `a` and `b`; one of both may be empty.
struct KernelGroup {
    std::vector<uint32_t> a, b;
    bool is_same = false;  // one on each side, with the same operators
};
// Every kernel is in one group: kernels with the same operators in pairs, then kernels that share
// operators of a line.
std::vector<KernelGroup> kernel_groups(const ProfiledGraph& a, const ProfiledGraph& b);

}  // namespace lanescope
