// What one scan of an event list gives, as text.
#pragma once

#include <string>
#include <string_view>

namespace lanescope::testing {

// `text` must have kTextPadding readable bytes behind it.
std::string describe_scan(std::string_view text, bool last);
// The same by a scanner that learns no shapes.
std::string describe_scan_key_by_key(std::string_view text, bool last);

}  // namespace lanescope::testing
