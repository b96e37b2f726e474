// Encodes protobuf messages.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace lanescope::testing {

inline std::string varint(uint64_t value) {
    std::string bytes;
    for (; value > 0x7F; value >>= 7U) bytes += static_cast<char>(0x80 | (value & 0x7F));
    return bytes + static_cast<char>(value);
}
inline std::string number_field(uint32_t field, uint64_t value) {
    return varint(uint64_t{field} << 3U) + varint(value);
}
inline std::string bytes_field(uint32_t field, std::string_view bytes) {
    return varint(uint64_t{field} << 3U | 2U) + varint(bytes.size()) + std::string(bytes);
}
inline std::string real_field(uint32_t field, double value) {
    std::string bytes = varint(uint64_t{field} << 3U | 1U);
    char raw[sizeof value];
    std::memcpy(raw, &value, sizeof value);
    return bytes.append(raw, sizeof value);
}

}  // namespace lanescope::testing
