#include "core/export/words/terminal_text.h"

#include <doctest/doctest.h>

namespace lanescope {

TEST_CASE("width counts columns, not bytes") {
    CHECK(terminal_width("kernel") == 6);
    CHECK(terminal_width("µs –") == 4);
    CHECK(terminal_width("核函数") == 6);
    CHECK(terminal_width("e\u0301") == 1);
    CHECK(terminal_width("\xff\xfe") == 2);
}

TEST_CASE("control characters and broken bytes become visible marks") {
    CHECK(printable("a\x1b[31mb") == "a\uFFFD[31mb");
    CHECK(printable("line\nline\ttab") == "line\uFFFDline\uFFFDtab");
    CHECK(printable("\xc0\xaf ok \xe2\x82") == "\uFFFD\uFFFD ok \uFFFD\uFFFD");
    CHECK(printable("\u202Eevil") == "\uFFFDevil");
    CHECK(printable("µ – 核 \U0001F525") == "µ – 核 \U0001F525");
}

TEST_CASE("a cut text keeps whole characters and shows that it is cut") {
    CHECK(cut_to_width("vectorized", 10) == "vectorized");
    CHECK(cut_to_width("vectorized", 5) == "vect…");
    CHECK(cut_to_width("核函数", 4) == "核…");
    CHECK(cut_to_width("abc", 0).empty());
}

TEST_CASE("padding counts columns") {
    CHECK(pad_left("µs", 4) == "  µs");
    CHECK(pad_right("核", 4) == "核  ");
    CHECK(pad_left("longer", 3) == "longer");
}

TEST_CASE("wrapping loses no word, and a word that is too long has its own line") {
    CHECK(wrap_to_width("one two three", 7) == std::vector<std::string>{"one two", "three"});
    CHECK(wrap_to_width("a incomprehensibilities b", 5) ==
          std::vector<std::string>{"a", "incomprehensibilities", "b"});
    CHECK(wrap_to_width("", 5) == std::vector<std::string>{""});
}

TEST_CASE("a text cut in the middle keeps both ends, and never exceeds the width") {
    CHECK(cut_middle_to_width("gemm_128x64_tn_align8", 21) == "gemm_128x64_tn_align8");
    CHECK(cut_middle_to_width("gemm_128x64_tn_align8", 16) == "gemm_128x6…lign8");
    CHECK(cut_middle_to_width("gemm_128x64_tn_align8", 6) == "gemm_…");
    const std::string wide = "表の幅が広い文字の名前はここで切られます";
    for (std::size_t width = 0; width < 45; ++width)
        CHECK(terminal_width(cut_middle_to_width(wide, width)) <= width);
}

}  // namespace lanescope
