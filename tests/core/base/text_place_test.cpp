#include "core/base/text_place.h"

#include <doctest/doctest.h>

using namespace lanescope;

TEST_CASE("A place in a text has a line and a column, both from 1 on") {
    const std::string_view text = "select ä,\n  b\n\nfrom c";
    const TextPlace first = place_in_text(text, 0);
    CHECK(first.line == 1);
    CHECK(first.column == 1);
    CHECK(first.line_end == 10);
    // "ä" is one character of two bytes.
    const TextPlace comma = place_in_text(text, 9);
    CHECK(text[comma.offset] == ',');
    CHECK(comma.column == 9);
    const TextPlace b = place_in_text(text, 13);
    CHECK(text[b.offset] == 'b');
    CHECK(b.line == 2);
    CHECK(b.column == 3);
    CHECK(text.substr(b.line_begin, b.line_end - b.line_begin) == "  b");
    // The end of a line belongs to it.
    CHECK(place_in_text(text, 14).line == 2);
    CHECK(place_in_text(text, 15).line == 3);
    CHECK(place_in_text(text, 15).line_end == 15);
    const TextPlace end = place_in_text(text, 1'000'000);
    CHECK(end.offset == text.size());
    CHECK(end.line == 4);
    CHECK(end.column == 7);
    CHECK(place_in_text("", 5).line == 1);
}
