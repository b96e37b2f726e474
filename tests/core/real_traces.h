// Real traces are too large for the tree; LANESCOPE_TRACES names the folder that holds them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/trace/trace.h"

namespace lanescope::testing {

// The path of a real trace, named relative to LANESCOPE_TRACES ("torch/cpu_only.json.gz"). Without
// that variable the running test case is marked as skipped and the path is empty: return then. A
// name that is not in the folder fails the test.
std::string real_trace(std::string_view name);

// Loads it; null after a skip or a failure, which the test case then already tells.
TracePtr load_real_trace(std::string_view name);

// Names of all GPU and CPU traces of PyTorch there, in the order of the alphabet.
std::vector<std::string> torch_traces();

}  // namespace lanescope::testing
