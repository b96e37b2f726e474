// Finds the captured launch of each kernel, copy and set that a graph replay launched.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/replays/captured_graphs.h"
#include "core/trace/replay_link.h"
#include "core/trace/trace.h"

namespace lanescope {

// A captured launch of one of several traces.
struct CapturedPlace {
    uint32_t graphs = kNoRow;  // which CapturedGraphs
    uint32_t launch = kNoRow;  // in CapturedGraphs::launches
};

struct ReplayedKernel {
    uint32_t row = kNoRow;  // of Trace::gpu_activities
    uint32_t replay = 0;    // number of its graph launch, by time
    ReplayLink link = ReplayLink::none;
    CapturedPlace captured;  // none: not known
    // Where the replay has no captured call: the number of its layer from 1, and how many layers
    // there are, by repetition; 0: in none.
    uint32_t layer = 0;
    uint32_t layers = 0;
};

// A difference between replays and captures, in a sentence for people.
struct ReplayProblem {
    uint64_t replays = 0;
    std::string text;
};

struct ReplayedKernels {
    std::vector<ReplayedKernel> kernels;  // by replay, then by time
    std::vector<ReplayProblem> problems;
};

// `captures`: made with `tokens`. In CapturedPlace::graphs, `nodes` has the index after the last
// capture.
ReplayedKernels replayed_kernels(const Trace& trace, std::span<const CapturedGraphs> captures,
                                 const CapturedNodes& nodes, LaunchTokens& tokens);

}  // namespace lanescope
