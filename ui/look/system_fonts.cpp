#include "ui/look/system_fonts.h"

#include <algorithm>
#include <iterator>

namespace lanescope {

namespace {

uint32_t number_at(const std::vector<unsigned char>& bytes, std::size_t at, std::size_t size) {
    uint32_t value = 0;
    for (std::size_t i = 0; i < size; ++i)
        value = value << 8 | (at + i < bytes.size() ? bytes[at + i] : 0u);
    return value;
}

}  // namespace

bool has_outlines(const std::vector<unsigned char>& bytes, int index) {
    constexpr uint32_t collection = 0x74746366;  // "ttcf"
    std::size_t at = 0;
    if (number_at(bytes, 0, 4) == collection) {
        if (index < 0 || static_cast<uint32_t>(index) >= number_at(bytes, 8, 4)) return false;
        at = number_at(bytes, 12 + 4 * static_cast<std::size_t>(index), 4);
    }
    const uint32_t version = number_at(bytes, at, 4);
    constexpr uint32_t kinds[] = {0x00010000, 0x74727565, 0x4F54544F};  // 1.0, "true", "OTTO"
    if (std::find(std::begin(kinds), std::end(kinds), version) == std::end(kinds)) return false;
    const uint32_t tables = number_at(bytes, at + 4, 2);
    std::set<std::string> names;
    for (std::size_t i = 0; i < tables; ++i) {
        const std::size_t entry = at + 12 + 16 * i;
        if (entry + 16 > bytes.size()) return false;
        const std::size_t begin = number_at(bytes, entry + 8, 4);
        const std::size_t length = number_at(bytes, entry + 12, 4);
        if (begin + length > bytes.size()) return false;
        names.emplace(bytes.begin() + static_cast<std::ptrdiff_t>(entry),
                      bytes.begin() + static_cast<std::ptrdiff_t>(entry + 4));
    }
    for (const char* needed : {"cmap", "head", "hhea", "hmtx"})
        if (!names.contains(needed)) return false;
    return names.contains("CFF ") || (names.contains("glyf") && names.contains("loca"));
}

}  // namespace lanescope
