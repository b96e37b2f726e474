// Marks a test case as skipped: doctest has no such state while a test runs, so main.cpp counts
// them.
#pragma once

#include <string>

namespace lanescope::testing {

// Says why the running test case cannot run here. The case must return immediately; it counts as
// skipped unless a check in it failed.
void skip_test(const std::string& why);

}  // namespace lanescope::testing
