// The result of scanning an event list, as text.
#pragma once

#include <string>
#include <string_view>

namespace lanescope::testing {

// kTextPadding readable bytes must follow `text`.
std::string describe_scan(std::string_view text, bool last);
// The same with a scanner that learns no shapes.
std::string describe_scan_key_by_key(std::string_view text, bool last);

}  // namespace lanescope::testing
