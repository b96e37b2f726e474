#pragma once

#include <istream>
#include <optional>
#include <string>

namespace lanescope {

// All bytes that are left in a stream; empty if the system refuses to read them, as for a folder or
// for a file of /proc whose process has ended. (std::istreambuf_iterator throws then.)
std::optional<std::string> rest_of(std::istream& stream);

}  // namespace lanescope
