#include "core/base/json_line.h"

#include <doctest/doctest.h>

namespace lanescope {

TEST_CASE("JSON on one line has no line breaks and blanks but behind commas and colons") {
    CHECK(json_on_one_line("[\n  [\n    1,\n    512\n  ],\n  []\n]") == "[[1, 512], []]");
    CHECK(json_on_one_line("{\"a\" :\t\"x,  y\",\r\n\"b\":1}") == R"({"a": "x,  y", "b": 1})");
    CHECK(json_on_one_line("[\"a\\\\\",  \"b \\\" c\"]") == R"(["a\\", "b \" c"])");
    CHECK(json_on_one_line("").empty());
    CHECK(has_line_breaks("[\n]"));
    CHECK(!has_line_breaks("[ ]"));
}

}  // namespace lanescope
