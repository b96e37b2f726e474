// The part of a name that a person reads first.
#pragma once

#include <string>
#include <string_view>

#include "core/trace/category.h"
#include "core/trace/trace.h"

namespace lanescope {

// Of a kernel, the function without return type, namespaces, template arguments and parameters; of
// a module's call, the module. Other names are unchanged. The result is part of `name`.
std::string_view short_name(std::string_view name, EventClass event_class);
std::string_view short_name(const Trace& trace, SliceRef slice);
// A name for use in a sentence: a name of more than 60 bytes is shortened in the middle.
std::string brief_name(std::string_view name);

// For a recognised kernel name, kernel_label(). For another C++ function, the function with
// template arguments, without return type, parameters and namespaces. Other names are unchanged.
std::string compact_name(std::string_view name);

// Formats a counter's value with the unit at the end of the lane's name, as recordings write it
// ("GPU 0 power · W"), and in bytes if it counts memory.
std::string format_counter(const Trace& trace, LaneId lane, double value);

}  // namespace lanescope
