#include "core/base/printable.h"

#include <doctest/doctest.h>

using namespace lanescope;

TEST_CASE("a text from a file cannot control the terminal") {
    CHECK(printable("plain \u00fc \u6f22") == "plain \u00fc \u6f22");
    CHECK(printable("a\x1b[31mb\a\r\n\t\x7f") == "a\uFFFD[31mb\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD");
    CHECK(printable("\u009b31m") == "\uFFFD31m");  // the same in one character
    CHECK(printable("\u202egnp") == "\uFFFDgnp");  // turns the direction
    CHECK(printable("\xff\xe2\x28") == "\uFFFD\uFFFD(");
    CHECK(printable_lines("a\n  b\x1b") == "a\n  b\uFFFD");
}
