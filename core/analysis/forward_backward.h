// Which operator runs backward what another ran forward.
#pragma once

#include <map>
#include <utility>

#include "core/trace/trace.h"

namespace lanescope {

// By autograd's Sequence number, within a process: of the forward operators with a number the one
// that started last recorded the node; of the backward ones the first is the outermost. (As Kineto
// draws its forward-backward flows.)
class ForwardBackward {
  public:
    explicit ForwardBackward(const Trace& trace);

    // None when the slice is not itself a backward operator with a number, or its forward operator
    // is not in the file.
    SliceRef forward_of(SliceRef backward) const;
    SliceRef forward_of_row(uint32_t row) const;  // of Trace::operators; kNoRow: none
    SliceRef backward_of(SliceRef forward) const;
    // Likewise of an operator that left the recording to one that it called: they share a number.
    SliceRef backward_within(SliceRef op) const;

  private:
    struct Pair {
        SliceRef forward;
        SliceRef backward;
    };
    // Of a row of Trace::operators; null when it has no number.
    const Pair* find(uint32_t row) const;

    const Trace* trace_;
    std::map<std::pair<uint32_t, int64_t>, Pair> pairs_;  // by (process, sequence)
};

}  // namespace lanescope
