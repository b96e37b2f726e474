// Real traces are too large for the tree; LANESCOPE_TRACES names the folder that holds them.
#pragma once

#include <string>
#include <string_view>

namespace lanescope::testing {

// The path of a real trace, named relative to LANESCOPE_TRACES ("torch/cpu_only.json.gz"). Without
// that variable the running test case is marked as skipped and the path is empty: return then. A
// name that is not in the folder fails the test.
std::string real_trace(std::string_view name);

}  // namespace lanescope::testing
