// Names of programs that write traces, in TraceFacts::producer, on which more than one room relies.
#pragma once

#include <string_view>

namespace lanescope {

inline constexpr std::string_view kClangTimeTrace = "clang -ftime-trace";

}  // namespace lanescope
