// Real traces are too large for the tree; LANESCOPE_TRACES names their folder.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/trace/trace.h"

namespace lanescope::testing {

// The path of a real trace, named relative to LANESCOPE_TRACES ("torch/cpu_only.json.gz"). Without
// that variable, marks the running test case as skipped and returns an empty path: return then. A
// name that is not in the folder fails the test.
std::string real_trace(std::string_view name);

// Loads it; null after a skip or a failure, which the test case has then already reported.
TracePtr load_real_trace(std::string_view name);

// Names of all PyTorch GPU and CPU traces there, sorted.
std::vector<std::string> torch_traces();

}  // namespace lanescope::testing
