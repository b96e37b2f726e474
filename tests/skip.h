// Marks a test case as skipped: doctest knows no such thing while a test runs, so main.cpp keeps
// the count.
#pragma once

#include <string>

namespace lanescope::testing {

// Says why the running test case cannot be run here. The case must return right after; it then
// counts as skipped unless a check in it failed.
void skip_test(const std::string& why);

}  // namespace lanescope::testing
