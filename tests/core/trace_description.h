// A whole trace as one text, ids resolved, so that two traces can be compared exactly.
#pragma once

#include <string>

#include "core/trace/trace.h"

namespace lanescope::testing {

enum class DescribedOrder {
    file,  // everything, with places in the file and the order of ties
    any,   // only what does not depend on the order of the file's events
};

// One line for each thing the trace holds, but its path and how it was compressed.
std::string describe(const Trace& trace, DescribedOrder order = DescribedOrder::file);

// The first line in which two descriptions differ, from both, for messages; empty when equal.
std::string first_difference(const std::string& a, const std::string& b);

}  // namespace lanescope::testing
