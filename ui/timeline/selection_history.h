// What was selected before, to go back and forward through: the history of selections, not of
// views.
#pragma once

#include <cstddef>
#include <vector>

#include "core/trace/slice.h"

namespace lanescope {

class SelectionHistory {
  public:
    static constexpr std::size_t kMost = 500;

    // Follows what is selected: a slice that is not the one history stands at is put behind it, and
    // what came after is forgotten. No slice leaves all as it is.
    void note(SliceRef selected);
    // The slice before the one history stands at, which is then where it stands; with nothing
    // selected that one itself. None where there is none.
    SliceRef back(SliceRef selected);
    SliceRef forward();

  private:
    std::vector<SliceRef> slices_;
    std::size_t at_ = 0;
};

}  // namespace lanescope
