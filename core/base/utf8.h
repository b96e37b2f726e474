// Checks and repairs UTF-8.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lanescope {

void append_utf8(std::string& out, uint32_t code_point);

// The length of the character at text[i]; 0 if it is invalid.
std::size_t utf8_length(std::string_view text, std::size_t i);

// Appends the character at text[i], or U+FFFD for a byte that is not UTF-8. Returns its length.
std::size_t append_utf8_at(std::string& out, std::string_view text, std::size_t i);

// True if the text is valid UTF-8.
bool is_utf8(std::string_view text);

// The longest beginning of a text that has at most `most_bytes` bytes and ends with a whole
// character.
std::string_view utf8_beginning(std::string_view text, std::size_t most_bytes);

// Replaces bytes that are not UTF-8 by U+FFFD.
std::string repair_bytes(std::string_view text);

}  // namespace lanescope
