// Lays out text in the columns of a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/printable.h"  // IWYU pragma: export

namespace lanescope {

// The width of a UTF-8 text in columns: combining marks take none, wide East Asian characters and
// emoji two. Control characters and invalid bytes take one, as after printable().
std::size_t terminal_width(std::string_view text);

// Cuts a text to at most `width` columns; a cut text ends with "…".
std::string cut_to_width(std::string_view text, std::size_t width);

// Cuts a text to at most `width` columns with "…" in its middle: kernels of one function differ at
// their ends.
std::string cut_middle_to_width(std::string_view text, std::size_t width);

// Breaks a text at spaces into lines of at most `width` columns; a longer word has a line of its
// own.
std::vector<std::string> wrap_to_width(std::string_view text, std::size_t width);

// Pads with spaces to `width` columns.
std::string pad_right(std::string_view text, std::size_t width);
std::string pad_left(std::string_view text, std::size_t width);

}  // namespace lanescope
