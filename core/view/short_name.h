// The part of a name that a person reads first.
#pragma once

#include <string>
#include <string_view>

#include "core/trace/category.h"
#include "core/trace/trace.h"

namespace lanescope {

// Of a kernel, the function without return type, namespaces, template arguments and parameters; of
// a module's call, the module. Anything else stays as it is. A part of `name`.
std::string_view short_name(std::string_view name, EventClass event_class);
std::string_view short_name(const Trace& trace, SliceRef slice);
// A name for a sentence: of one of more than 60 bytes the middle is left out.
std::string brief_name(std::string_view name);

// A name of a C++ function without return type, parameters and namespaces, its template arguments
// kept, so that kernels of one function stay apart: "vectorized_elementwise_kernel<4,
// CUDAFunctor_add<BFloat16>>". CUTLASS kernels are called as short_name() calls them. Anything else
// stays as it is.
std::string compact_name(std::string_view name);

// A counter's value as people read it: with the unit that the lane's name ends in, as those of
// recordings do ("GPU 0 power · W"), and in bytes where it counts memory.
std::string format_counter(const Trace& trace, LaneId lane, double value);

}  // namespace lanescope
