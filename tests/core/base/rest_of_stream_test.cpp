#include "core/base/rest_of_stream.h"

#include <doctest/doctest.h>

#include <fstream>
#include <sstream>

namespace lanescope {

TEST_CASE("the rest of a stream is read completely") {
    const std::string text(100'000, 'x');
    std::istringstream stream("first\n" + text);
    std::string line;
    std::getline(stream, line);
    CHECK(rest_of(stream) == text);
    std::istringstream nothing;
    CHECK(rest_of(nothing) == "");
}

TEST_CASE("a stream that the system refuses to read has no rest, and nothing is thrown") {
    std::ifstream folder("/", std::ios::binary);
    REQUIRE(folder.is_open());
    CHECK(rest_of(folder) == std::nullopt);
}

}  // namespace lanescope
