// FlatArgument: an argument of an event as Perfetto's table `args` shows it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/trace/trace.h"

namespace lanescope {

// Null for JSON's null.
using ArgumentValue = std::variant<std::monostate, int64_t, double, std::string>;

struct FlatArgument {
    std::string flat_key;  // "args.Input Dims"
    std::string key;       // "args.Input Dims[0][1]"
    ArgumentValue value;
    bool is_bool = false;  // the value is 0 or 1
};

inline constexpr std::string_view kArgumentPrefix = "args.";

// Appends one entry for each value in lists and objects. Numbers that are no whole numbers of 64
// bits become real.
void flatten(const Argument& argument, std::vector<FlatArgument>& flat);

// Returns whether a key lies in an argument, as "args.Input Dims[0]" lies in "Input Dims".
bool is_part_of(std::string_view key, std::string_view argument);

}  // namespace lanescope
