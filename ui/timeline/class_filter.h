// ClassFilter: the chosen classes of the legend. Slices of other classes are dimmed or hidden.
#pragma once

#include <bitset>

#include "core/search/marks.h"
#include "core/view/view_index.h"

namespace lanescope {

using SlotSet = std::bitset<256>;

struct ClassFilter {
    SlotSet chosen;  // empty: everything is shown normally
    bool hides = false;
    FoundPtr lit;        // the slices of the classes `lit_of`; null: not yet known
    SlotSet lit_of;      // the classes of `lit` …
    ViewIndexPtr index;  // … and the index that `lit` refers to

    bool on() const { return chosen.any(); }
    // Whether `lit` is up to date for the chosen classes and the current index.
    bool ready(const ViewIndexPtr& current_index) const {
        return lit && index == current_index && lit_of == chosen;
    }
};

// All slices of some classes. Reads every slice: too slow for a frame.
FoundPtr find_classes(const ViewIndex& index, const SlotSet& chosen);

// A click on a class: chooses it alone, or nothing if it was alone. With `add`, it is added or
// removed.
void choose_class(SlotSet& chosen, Slot slot, bool add);

}  // namespace lanescope
