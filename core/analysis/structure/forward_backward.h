// Matches backward operators to the forward operators that recorded them.
#pragma once

#include <map>
#include <utility>

#include "core/trace/trace.h"

namespace lanescope {

// Uses autograd's Sequence number within a process. Among forward operators with a number, the last
// one to start recorded the node; among backward operators, the first is the outermost. (PyTorch's
// forward-backward flows follow the same rule.)
class ForwardBackward {
  public:
    explicit ForwardBackward(const Trace& trace);

    // Empty if the slice is not itself a backward operator with a number, or if its forward
    // operator is not in the file.
    SliceRef forward_of(SliceRef backward) const;
    SliceRef forward_of_row(uint32_t row) const;  // of Trace::operators; kNoRow: none
    SliceRef backward_of(SliceRef forward) const;
    // Likewise, for an operator that passed recording on to an operator that it called: the two
    // share a number.
    SliceRef backward_within(SliceRef op) const;

  private:
    struct Pair {
        SliceRef forward;
        SliceRef backward;
    };
    // For a row of Trace::operators; null if it has no number.
    const Pair* find(uint32_t row) const;

    const Trace* trace_;
    std::map<std::pair<uint32_t, int64_t>, Pair> pairs_;  // by (process, sequence)
};

}  // namespace lanescope
