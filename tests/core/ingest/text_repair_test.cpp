// Compares text repair with a plain decoder that handles one character at a time.
#include "core/ingest/json/text_repair.h"

#include <doctest/doctest.h>

#include <array>
#include <random>

using namespace lanescope;

namespace {

struct Range {
    unsigned lead_from, lead_to, second_from, second_to;
    std::size_t length;
};

// Table 3-7 of the Unicode standard: well-formed UTF-8.
constexpr std::array<Range, 9> kWellFormed = {{{0x00, 0x7F, 0, 0, 1},
                                               {0xC2, 0xDF, 0x80, 0xBF, 2},
                                               {0xE0, 0xE0, 0xA0, 0xBF, 3},
                                               {0xE1, 0xEC, 0x80, 0xBF, 3},
                                               {0xED, 0xED, 0x80, 0x9F, 3},
                                               {0xEE, 0xEF, 0x80, 0xBF, 3},
                                               {0xF0, 0xF0, 0x90, 0xBF, 4},
                                               {0xF1, 0xF3, 0x80, 0xBF, 4},
                                               {0xF4, 0xF4, 0x80, 0x8F, 4}}};

std::size_t reference_length(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    for (const Range& range : kWellFormed) {
        if (byte(0) < range.lead_from || byte(0) > range.lead_to) continue;
        if (range.length == 1) return 1;
        if (text.size() < range.length) return 0;
        if (byte(1) < range.second_from || byte(1) > range.second_to) return 0;
        for (std::size_t i = 2; i < range.length; ++i)
            if (byte(i) < 0x80 || byte(i) > 0xBF) return 0;
        return range.length;
    }
    return 0;
}

std::string reference_repair(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const std::size_t length = reference_length(text);
        if (length == 0)
            out += "\xEF\xBF\xBD";
        else
            out += text.substr(0, length);
        text.remove_prefix(length == 0 ? 1 : length);
    }
    return out;
}

}  // namespace

TEST_CASE("every sequence of two bytes, and many of four, are repaired like by a plain decoder") {
    std::mt19937_64 random(1);
    for (unsigned first = 0; first < 256; ++first) {
        for (unsigned second = 0; second < 256; ++second) {
            std::string text = {static_cast<char>(first), static_cast<char>(second),
                                static_cast<char>(0x80 + random() % 70),
                                static_cast<char>(random() % 256)};
            if (random() % 2) text.resize(2);
            if (text.find('\\') != std::string::npos) continue;
            const std::string repaired = repair_text(text);
            REQUIRE(repaired == reference_repair(text));
            REQUIRE(is_clean_text(text) == (repaired == text));
            REQUIRE(is_clean_text(repaired));
        }
    }
}

TEST_CASE("escapes are resolved, invalid ones are kept") {
    CHECK(repair_text(R"(a\nb\t\"\\\/\b\f\r)") == "a\nb\t\"\\/\b\f\r");
    CHECK(repair_text(R"(\u00e9\u20AC)") == "é€");
    CHECK(repair_text(R"(\ud83d\ude00)") == "😀");
    CHECK(repair_text(R"(\ud83d)") == "\xEF\xBF\xBD");
    CHECK(repair_text(R"(\ud83d\u0041)") ==
          "\xEF\xBF\xBD"
          "A");
    CHECK(repair_text(R"(\ude00x)") == "\xEF\xBF\xBDx");
    CHECK(repair_text(R"(\u12)") == R"(\u12)");
    CHECK(repair_text(R"(\u-123)") == R"(\u-123)");
    CHECK(repair_text(R"(C:\q)") == R"(C:\q)");
    CHECK(repair_text("end\\") == "end\\");
    CHECK_FALSE(is_clean_text(R"(a\n)"));
    CHECK(is_clean_text("tab\tand é"));
}
