// Values of TraceFacts::producer that several folders use: names of programs that write traces.
#pragma once

#include <string_view>

namespace lanescope {

inline constexpr std::string_view kClangTimeTrace = "clang -ftime-trace";

}  // namespace lanescope
