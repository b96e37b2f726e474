#include "core/base/utf8.h"

#include <doctest/doctest.h>

#include <string>

namespace lanescope {

TEST_CASE("a text is cut between characters") {
    CHECK(utf8_beginning("short", 5) == "short");
    CHECK(utf8_beginning("longer", 4) == "long");
    CHECK(utf8_beginning("", 0).empty());
    // Greek, a thin space, Chinese, an emoji: 2, 3, 3 and 4 bytes.
    const std::string text = "\u03b1\u2009\u4e2d\U0001F600";
    const std::size_t ends[] = {0, 0, 2, 2, 2, 5, 5, 5, 8, 8, 8, 8, 12};
    for (std::size_t bytes = 0; bytes <= text.size(); ++bytes) {
        CAPTURE(bytes);
        CHECK(utf8_beginning(text, bytes) == std::string_view(text).substr(0, ends[bytes]));
        CHECK(is_utf8(utf8_beginning(text, bytes)));
    }
}

}  // namespace lanescope
