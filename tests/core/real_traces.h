// Real traces are too large for the tree; LANESCOPE_TRACES names their folder.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "core/trace/trace.h"

namespace lanescope::testing {

// The path of a real trace, named relative to LANESCOPE_TRACES ("torch/cpu_only.json.gz"). Without
// that variable, marks the running test case as skipped and returns an empty path: return then. A
// name that is not in the folder fails the test. Traces that are in the tree ("torch_cpu/...",
// "synthetic_step.json.gz") are found in assets/samples and never skipped.
std::string real_trace(std::string_view name);

// Loads it; null after a skip or a failure, which the test case has then already reported.
TracePtr load_real_trace(std::string_view name);

// Whether LANESCOPE_TRACES names a folder. A test case that asks tests more if it does.
bool has_real_traces();

// Returns the named traces that exist: all, or only the samples if there are no real traces. For
// checks that hold in each of them.
std::vector<std::string> traces_here(std::initializer_list<std::string_view> names);

// The samples in the tree, and all real traces of all formats if there are any.
std::vector<std::string> all_traces_and_samples();

// Names of all real PyTorch GPU and CPU traces, sorted. Skips the test case if there is none.
std::vector<std::string> torch_traces();

// The samples in the tree, and the real traces if there are any. For checks that hold in every
// trace.
std::vector<std::string> torch_traces_and_samples();

// Returns all names in most builds. Under the sanitizers, where slow tests take minutes, returns
// every third name from `first` on (0 to 2, so that different tests use different traces), unless
// LANESCOPE_EVERY_TRACE is set, as scripts/soak does.
std::vector<std::string> fewer_if_slow(std::vector<std::string> names, std::size_t first);

// Returns fewer_if_slow() of torch_traces_and_samples().
std::vector<std::string> traces_of_slow_tests(std::size_t first);

}  // namespace lanescope::testing
