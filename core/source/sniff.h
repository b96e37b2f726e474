// Recognises a file's compression by its first bytes, never by its name.
#pragma once

#include <cstdint>
#include <string_view>

namespace lanescope {

enum class Compression : uint8_t { none, gzip, zstd };

std::string_view compression_name(Compression c);

Compression sniff_compression(std::string_view first_bytes);

}  // namespace lanescope
