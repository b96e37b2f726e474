// The history of selections, for going back and forward; independent of the history of views.
#pragma once

#include <cstddef>
#include <vector>

#include "core/trace/slice.h"

namespace lanescope {

class SelectionHistory {
  public:
    static constexpr std::size_t kMaxSlices = 500;

    // Records the selection: a slice other than the present entry is added after it, and later
    // entries are dropped. An empty selection changes nothing.
    void note(SliceRef selected);
    // Moves to the previous entry and returns it; with nothing selected, returns the present one.
    // Empty if there is none.
    SliceRef back(SliceRef selected);
    SliceRef forward();

  private:
    std::vector<SliceRef> slices_;
    std::size_t at_ = 0;
};

}  // namespace lanescope
