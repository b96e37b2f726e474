// Marks a test case: as skipped, or as one to be run with real traces. doctest has no such states
// while a test runs, so main.cpp keeps them.
#pragma once

#include <string>

namespace lanescope::testing {

// Says why the running test case cannot run here. The case must return immediately; it counts as
// skipped unless a check in it failed.
void skip_test(const std::string& why);

// Notes that the running test case asked for real traces when there are none. The case's result is
// then printed, so that `scripts/test --real-traces` runs it with real traces.
void note_missing_traces();

}  // namespace lanescope::testing
