#include "ui/look/fonts.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>

using namespace lanescope;

namespace {

uint32_t big_endian(FontBytes bytes, std::size_t at, int size) {
    uint32_t value = 0;
    for (int i = 0; i < size; ++i) value = value << 8 | bytes[at + static_cast<std::size_t>(i)];
    return value;
}

// The end of a table in a TrueType or OpenType file; 0 if the file has no such table.
std::size_t end_of_table(FontBytes bytes, std::string_view tag) {
    const uint32_t tables = big_endian(bytes, 4, 2);
    for (uint32_t i = 0; i < tables; ++i) {
        const std::size_t entry = 12 + 16 * std::size_t{i};
        std::string name;
        for (std::size_t c = 0; c < 4; ++c) name += static_cast<char>(bytes[entry + c]);
        if (name == tag) return big_endian(bytes, entry + 8, 4) + big_endian(bytes, entry + 12, 4);
    }
    return 0;
}

}  // namespace

TEST_CASE("each embedded font is complete") {
    constexpr uint32_t truetype = 0x00010000;
    constexpr uint32_t opentype = 0x4F54544F;  // "OTTO"
    for (const FontBytes font :
         {roboto_regular(), roboto_medium(), inconsolata(), font_awesome()}) {
        REQUIRE(font.size() > 50'000);
        const uint32_t kind = big_endian(font, 0, 4);
        CHECK((kind == truetype || kind == opentype));
        for (const char* table : {"cmap", "head", "hhea", "hmtx", "maxp"}) {
            CAPTURE(table);
            const std::size_t end = end_of_table(font, table);
            CHECK(end > 0);
            CHECK(end <= font.size());
        }
        CHECK(end_of_table(font, kind == truetype ? "glyf" : "CFF ") > font.size() / 4);
    }
}

TEST_CASE("the embedded fonts are four different ones") {
    CHECK(roboto_regular().size() != roboto_medium().size());
    CHECK(roboto_regular().data() != inconsolata().data());
    CHECK(font_awesome().size() > roboto_regular().size());
}
