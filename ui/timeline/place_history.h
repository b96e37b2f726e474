// The history of places, for going back and forward: what was in view, and what was selected there.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/trace/slice.h"
#include "core/view/viewport.h"

namespace lanescope {

struct VisitedPlace {
    Viewport view;
    SliceRef selected;  // empty: nothing
};

class PlaceHistory {
  public:
    static constexpr std::size_t kMaxPlaces = 500;

    // Records where the user is, once the view is at rest. A place other than the present entry is
    // added after it, and later entries are dropped. Nothing is recorded where only the selection
    // was dismissed.
    void note(const VisitedPlace& place);
    // Replaces the only entry, as long as the user has not moved.
    void begin(const VisitedPlace& place);
    // The previous entry, which becomes the present one; the present one if the user is elsewhere
    // or has dismissed the selection. Empty if there is none.
    std::optional<VisitedPlace> back(const VisitedPlace& now);
    std::optional<VisitedPlace> forward();
    // Slices may have other numbers now.
    void forget_slices();

  private:
    std::vector<VisitedPlace> places_;
    std::size_t at_ = 0;
};

}  // namespace lanescope
