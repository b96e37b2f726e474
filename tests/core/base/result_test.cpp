#include "core/base/result.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>

using namespace lanescope;

namespace {

Result<int> parse_digit(char c) {
    if (c < '0' || c > '9')
        return Error{.code = ErrorCode::damaged, .byte_offset = 7, .text = "no digit"};
    return c - '0';
}

Result<void> require_digit(char c) {
    if (auto digit = parse_digit(c); !digit) return digit.error();
    return {};
}

}  // namespace

TEST_CASE("a result holds its value") {
    const auto digit = parse_digit('4');
    REQUIRE(digit);
    CHECK(*digit == 4);
}

TEST_CASE("a result holds its error, with code, offset and text") {
    const auto digit = parse_digit('x');
    REQUIRE(!digit);
    CHECK(digit.error().code == ErrorCode::damaged);
    CHECK(digit.error().byte_offset == 7);
    CHECK(digit.error().text == "no digit");
}

TEST_CASE("an error has no offset unless one is given") {
    const Error error{.code = ErrorCode::io, .text = "gone"};
    CHECK(error.byte_offset == Error::no_offset);
}

TEST_CASE("a result moves a value that cannot be copied") {
    Result<std::unique_ptr<std::string>> result(std::make_unique<std::string>("lane"));
    REQUIRE(result);
    CHECK((*result)->size() == 4);
    const std::unique_ptr<std::string> taken = std::move(*result);
    CHECK(*taken == "lane");
}

TEST_CASE("a result's value can be reached through it") {
    Result<std::string> text(std::string("stream"));
    REQUIRE(text);
    text->append(" 7");
    CHECK(*text == "stream 7");
}

TEST_CASE("a result without a value type is a success or an error") {
    CHECK(require_digit('1'));
    const auto refused = require_digit('?');
    REQUIRE(!refused);
    CHECK(refused.error().text == "no digit");
}
