// Converts texts of a file to texts for display.
#pragma once

#include <string>
#include <string_view>

namespace lanescope {

// True if a raw JSON string needs no conversion: no escapes, valid UTF-8.
bool is_clean_text(std::string_view raw);

// Resolves JSON escapes (invalid ones stay unchanged) and replaces bytes that are not UTF-8 by
// U+FFFD.
std::string repair_text(std::string_view raw);

}  // namespace lanescope
