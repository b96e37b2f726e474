// ClassFilter: the chosen classes of the legend. Slices of other classes are dimmed or hidden.
#pragma once

#include <bitset>

#include "core/search/marks.h"
#include "core/view/view_index.h"

namespace lanescope {

using SlotSet = std::bitset<256>;

struct ClassFilter {
    SlotSet chosen;  // none: everything is shown normally
    bool hides = false;
    FoundPtr lit;        // the slices of those classes; null: not yet known
    SlotSet lit_of;      // what `lit` is of …
    ViewIndexPtr index;  // … and in which index

    bool on() const { return chosen.any(); }
    // Whether `lit` matches the chosen classes in that index.
    bool ready(const ViewIndexPtr& of) const { return lit && index == of && lit_of == chosen; }
};

// All slices of some classes. Reads every slice: too slow for a frame.
FoundPtr find_classes(const ViewIndex& index, const SlotSet& chosen);

// A click on a class: chooses it alone, or nothing if it was alone. With `add`, it is added or
// removed.
void choose_class(SlotSet& chosen, Slot slot, bool add);

}  // namespace lanescope
