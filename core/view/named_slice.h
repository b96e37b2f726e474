// Finds a slice by a name that a person types.
#pragma once

#include <string_view>

#include "core/trace/trace.h"

namespace lanescope {

// The first slice of that name, full or short, that begins in the range; empty if there is none.
SliceRef first_slice_named(const Trace& trace, std::string_view name, TimeRange range);
// The same; if no slice has that name, the first slice whose name contains it, case-sensitive.
SliceRef first_slice_called(const Trace& trace, std::string_view text, TimeRange range);

}  // namespace lanescope
