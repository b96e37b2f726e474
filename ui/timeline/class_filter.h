// ClassFilter: the classes of the legend that were chosen. Slices of others stand back, or are left
// out.
#pragma once

#include <bitset>

#include "core/search/marks.h"
#include "core/view/view_index.h"

namespace lanescope {

using SlotSet = std::bitset<256>;

struct ClassFilter {
    SlotSet chosen;  // none: all are shown as they are
    bool hides = false;
    FoundPtr lit;        // the slices of those classes; null: not known yet
    SlotSet lit_of;      // what `lit` is of …
    ViewIndexPtr index;  // … and in which index

    bool on() const { return chosen.any(); }
    // Whether `lit` is of what is chosen in that index.
    bool ready(const ViewIndexPtr& of) const { return lit && index == of && lit_of == chosen; }
};

// All slices of some classes. Reads every slice: not for a frame.
FoundPtr find_classes(const ViewIndex& index, const SlotSet& chosen);

// A click on a class: it alone, or nothing when it was alone. With `add` it joins the others, or
// leaves them.
void choose_class(SlotSet& chosen, Slot slot, bool add);

}  // namespace lanescope
