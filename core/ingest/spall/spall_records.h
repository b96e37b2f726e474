// The records of a Spall file, version 1. All numbers are little-endian and unaligned. Source: the
// structs of spall.h, the header that programs include to write such files.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

namespace lanescope {

inline constexpr std::string_view kSpallMagic{"\x0d\xf0\xad\x0b\0\0\0\0", 8};
inline constexpr uint64_t kSpallVersion = 1;
inline constexpr std::size_t kSpallHeaderBytes = 32;
inline constexpr std::size_t kSpallMaxRecord = 20 + 255 + 255;

struct SpallHeader {
    uint64_t version = 0;
    double microseconds = 0;  // length of a unit of time
};

enum class SpallKind : uint8_t { stream_over = 2, begin = 3, end = 4, pad = 7 };

struct SpallRecord {
    SpallKind kind = SpallKind::stream_over;
    uint32_t pid = 0;
    uint32_t tid = 0;
    double when = 0;  // in units of the header
    std::string_view name;
    std::string_view arguments;  // free text
    uint64_t bytes = 0;          // of the record
};

// Reads a little-endian number.
template <typename T>
T read_spall(const char* bytes) {
    static_assert(std::endian::native == std::endian::little);
    T value;
    std::memcpy(&value, bytes, sizeof value);
    return value;
}

// The header at the beginning of the text; nothing if the text begins otherwise or is too short.
std::optional<SpallHeader> read_spall_header(std::string_view text);

enum class SpallRead : uint8_t { ok, cut, unknown };

// Reads the record at the beginning of the text. `cut`: the text ends within it; `unknown`: its
// kind is not in SpallKind, so its size is unknown too.
SpallRead read_spall_record(std::string_view text, SpallRecord& record);

}  // namespace lanescope
