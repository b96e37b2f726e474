// Finding a slice by the name that a person types.
#pragma once

#include <string_view>

#include "core/trace/trace.h"

namespace lanescope {

// The first slice of that name, whole or short, that begins in the range; none where there is none.
SliceRef first_slice_named(const Trace& trace, std::string_view name, TimeRange range);
// The same, or where none has that name the first with it somewhere in its name: capitals count.
SliceRef first_slice_called(const Trace& trace, std::string_view text, TimeRange range);

}  // namespace lanescope
