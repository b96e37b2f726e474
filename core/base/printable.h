// Makes texts from files harmless for a terminal.
#pragma once

#include <string>
#include <string_view>

namespace lanescope {

// Replaces control characters, also those that change the direction of writing, and bytes that are
// not UTF-8 by U+FFFD, so that a name from a file cannot move the cursor or change colours.
std::string printable(std::string_view text);

// The same for a text of several lines: line breaks stay.
std::string printable_lines(std::string_view text);

}  // namespace lanescope
