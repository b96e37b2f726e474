// TextPlace: a place in a text that a user typed, as line and column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lanescope {

struct TextPlace {
    std::size_t offset = 0;  // in bytes; at most the size of the text
    std::size_t line = 1;    // from 1 on, as the column
    std::size_t column = 1;  // in characters of UTF-8
    std::size_t line_begin = 0;
    std::size_t line_end = 0;  // without the newline
};

// Returns the place of a byte offset; an offset beyond the end means the end of the text.
TextPlace place_in_text(std::string_view text, uint64_t offset);

}  // namespace lanescope
