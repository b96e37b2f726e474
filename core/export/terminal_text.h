// Text laid out in the columns of a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope {

// Columns that a UTF-8 text takes: combining marks none, wide East Asian characters and emoji two.
// Control characters and broken bytes count as one, which is what `printable` turns them into.
std::size_t terminal_width(std::string_view text);

// The text with control characters and bytes that are no UTF-8 replaced by U+FFFD, so that a name
// from a file cannot move the cursor or change colours.
std::string printable(std::string_view text);

// At most `width` columns; a cut text ends with "…".
std::string cut_to_width(std::string_view text, std::size_t width);

// Broken at blanks into lines of at most `width` columns; a word that is longer keeps a line of its
// own.
std::vector<std::string> wrap_to_width(std::string_view text, std::size_t width);

// Padded with blanks to `width` columns.
std::string pad_right(std::string_view text, std::size_t width);
std::string pad_left(std::string_view text, std::size_t width);

}  // namespace lanescope
