// Texts as files hold them to texts as people read them.
#pragma once

#include <string>
#include <string_view>

namespace lanescope {

// True when a raw JSON string needs no work: no escapes, valid UTF-8.
bool is_clean_text(std::string_view raw);

// Resolves JSON escapes (leaving broken ones as they stand) and replaces bytes that are not UTF-8
// by U+FFFD.
std::string repair_text(std::string_view raw);

}  // namespace lanescope
