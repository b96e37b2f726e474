// Texts of an HTML page: escaping, base64, compression.
#pragma once

#include <string>
#include <string_view>

namespace lanescope {

// For text and for attribute values in double quotes. Bytes that are not UTF-8 and control
// characters are replaced.
std::string html_escaped(std::string_view text);
std::string base64(std::string_view bytes);
// Compresses to gzip at isa-l's highest level.
std::string gzipped(std::string_view bytes);

}  // namespace lanescope
