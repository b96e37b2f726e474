// Removes or shortens slices of a finished trace, for records that cannot be true.
#pragma once

#include <optional>
#include <vector>

#include "core/trace/trace.h"

namespace lanescope {

struct SliceEdit {
    SliceRef slice;
    std::optional<Nanos> duration;  // the new one; none: the slice is removed, with its facts
};

// Nests the slices of the edited lanes again, and renumbers all references to these slices.
// `edits`: one for each slice, in any order. Links of removed slices are removed; the trace's times
// span the slices that are left.
void edit_slices(Trace& trace, std::vector<SliceEdit> edits);

}  // namespace lanescope
