// Recognises a file's compression and format by its first bytes, never by its name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lanescope {

enum class Compression : uint8_t { none, gzip, zstd };

std::string_view compression_name(Compression c);

Compression sniff_compression(std::string_view first_bytes);

// The format of a (decompressed) text by its first bytes: `json` if it may be a Chrome or Kineto
// trace, else the name of another format for messages: "an SQLite database (…)".
struct SniffedFormat {
    bool json = false;
    std::string name;
};
SniffedFormat sniff_format(std::string_view first_bytes);

}  // namespace lanescope
