// Writes a trace as JSON in the format of PyTorch's Kineto, which viewers of Chrome traces can also
// read.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/trace/trace.h"

namespace lanescope {

// Returns the arguments of the event at a `source` of the trace; called in ascending order.
using ReadArguments = std::function<Result<std::vector<Argument>>(uint64_t source)>;
// Receives the text piece by piece.
using TakeText = std::function<Result<void>(std::string_view)>;

// Writes slices, instants, curves, names and links of a single-file trace. Times are exact:
// microseconds with three digits. Errors: those of the two functions.
Result<void> write_trace_json(const Trace& trace, const ReadArguments& read_arguments,
                              const TakeText& take);

}  // namespace lanescope
