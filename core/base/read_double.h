// Reads numbers with a fraction: std::from_chars, which not every standard library has for them.
#pragma once

#include <charconv>

namespace lanescope {

// As std::from_chars(begin, end, value) in its general form.
std::from_chars_result read_double(const char* begin, const char* end, double& value);

}  // namespace lanescope
