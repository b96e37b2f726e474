// The curves of allocated and reserved memory, as pictures of a page.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/analysis/context.h"

namespace lanescope {

// An SVG for each device, those with the highest peaks first, at most `most`. Each column of a
// picture has the highest value in its time, so that no peak is lost. `range`: absolute; none: the
// whole trace.
std::vector<std::string> memory_pictures(const TraceContext& context,
                                         const std::optional<TimeRange>& range, std::size_t most);

}  // namespace lanescope
