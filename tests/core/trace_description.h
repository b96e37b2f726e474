// A whole trace as one text, with ids resolved, for exact comparison of two traces.
#pragma once

#include <string>

#include "core/trace/trace.h"

namespace lanescope::testing {

enum class DescribedOrder {
    file,  // everything, including file positions and the order of ties
    any,   // only what does not depend on the order of the file's events
};

// One line for each thing in the trace, except its path and compression.
std::string describe(const Trace& trace, DescribedOrder order = DescribedOrder::file);

// The first line in which two descriptions differ, from both, for messages; empty if equal.
std::string first_difference(const std::string& a, const std::string& b);

}  // namespace lanescope::testing
