// The data that a panel needs and a trace lacks.
#pragma once

#include <string_view>

#include "core/trace/trace.h"

namespace lanescope {

// A sentence for display: what the trace lacks for the panel, and how to record it. Empty if the
// trace has the data, or the panel needs none in particular.
std::string_view missing_data(std::string_view panel, const Trace& trace);

}  // namespace lanescope
