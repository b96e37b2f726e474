// A trace as JSON in the form of PyTorch's Kineto, which viewers of Chrome traces take too.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/trace/trace.h"

namespace lanescope {

// The arguments of the event at a `source` of the trace; asked in ascending order.
using ReadArguments = std::function<Result<std::vector<Argument>>(uint64_t source)>;
// Takes the text, piece by piece.
using TakeText = std::function<Result<void>(std::string_view)>;

// Slices, instants, curves, names and links of a trace of one file. Times are exact: microseconds
// with three digits. Errors: those of the two functions.
Result<void> write_trace_json(const Trace& trace, const ReadArguments& read_arguments,
                              const TakeText& take);

}  // namespace lanescope
