// Compares the number readers with long division: none may be off by a nanosecond.
#include "core/ingest/json/json_number.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <random>
#include <string>

using namespace lanescope;

namespace {

__extension__ using int128 = __int128;

// digits × 10^exponent × 1000, rounded to even; empty beyond the limit. `digits` below 10^18.
std::optional<Nanos> reference(bool negative, int64_t digits, int exponent, Nanos limit) {
    int128 value = digits;
    int128 divisor = 1;
    for (int e = exponent + 3; e > 0; --e) {
        if (value > int128{limit} * 1000) return std::nullopt;
        value *= 10;
    }
    for (int e = exponent + 3; e < 0; ++e) {
        if (divisor > int128{1} << 90) return 0;
        divisor *= 10;
    }
    int128 whole = value / divisor;
    const int128 twice = value % divisor * 2;
    if (twice > divisor || (twice == divisor && whole % 2 == 1)) ++whole;
    if (whole > limit) return std::nullopt;
    return static_cast<Nanos>(negative ? -whole : whole);
}

}  // namespace

TEST_CASE("microseconds of any form are exact") {
    std::mt19937_64 random(3);
    for (int i = 0; i < 200'000; ++i) {
        const int length = 1 + static_cast<int>(random() % 18);
        int64_t digits = 0;
        std::string text;
        const int point = static_cast<int>(random() % (static_cast<unsigned>(length) + 1));
        for (int k = 0; k < length; ++k) {
            if (k == point && k > 0) text += '.';
            const int digit = random() % 3 == 0   ? 0
                              : random() % 3 == 0 ? 5
                                                  : static_cast<int>(random() % 10);
            text += static_cast<char>('0' + digit);
            digits = digits * 10 + digit;
        }
        int exponent = point > 0 && point < length ? point - length : 0;
        const bool negative = random() % 4 == 0;
        if (negative) text.insert(0, "-");
        if (random() % 3 == 0) {
            const int shift = static_cast<int>(random() % 41) - 20;
            text += random() % 2 ? fmt::format("e{}", shift) : fmt::format("E{:+}", shift);
            exponent += shift;
        }
        CAPTURE(text);
        CHECK(parse_microseconds_since(0, text, kMaxTime) == parse_microseconds(text, kMaxTime));
        const auto expected = reference(negative, digits, exponent, kMaxTime);
        const auto got = parse_microseconds(text, kMaxTime);
        REQUIRE(got.has_value() == expected.has_value());
        if (expected) REQUIRE(*got == *expected);

        // The fast parser, if it accepts the text, gives the same result.
        const std::string padded = text + "," + std::string(32, '\0');
        const char* p = padded.data();
        Nanos quick = 0;
        if (read_microseconds(p, quick)) {
            REQUIRE(p == padded.data() + text.size());
            if (expected) REQUIRE(quick == *expected);
        }
    }
}

TEST_CASE("the fast path accepts the common form") {
    for (const char* text :
         {"0", "7", "1419117003011.565", "12345678.9", "1234567890123456", "123456789012345.001"}) {
        const std::string padded = std::string(text) + "," + std::string(32, '\0');
        const char* p = padded.data();
        Nanos nanos = -1;
        CAPTURE(text);
        REQUIRE(read_microseconds(p, nanos));
        CHECK(nanos == parse_microseconds(text, kMaxTime));
    }
    for (const char* text :
         {"", ".5", "-1", "1.", "1.2345", "12345678901234567", "1e3", "x", "NaN"}) {
        const std::string padded = std::string(text) + "," + std::string(32, '\0');
        const char* p = padded.data();
        Nanos nanos = -1;
        CAPTURE(text);
        CHECK_FALSE(read_microseconds(p, nanos));
        CHECK(p == padded.data());
    }
}

TEST_CASE("only numbers of microseconds in range are accepted, rounded half to even") {
    for (const char* text : {"",
                             "-",
                             ".",
                             "+",
                             "e5",
                             "1e",
                             "1e+-5",
                             "1e--5",
                             "1.2.3",
                             "0x10",
                             "inf",
                             "nan",
                             "NaN",
                             "N/A",
                             "1 ",
                             " 1",
                             "1e9999999",
                             "4000000000000000.001",
                             "-4000000000000001",
                             "99999999999999999999999999"}) {
        CAPTURE(text);
        CHECK_FALSE(parse_microseconds(text, kMaxTime));
    }
    CHECK(parse_microseconds("4000000000000000", kMaxTime) == kMaxTime);
    CHECK(parse_microseconds("-4000000000000000", kMaxTime) == -kMaxTime);
    CHECK(parse_microseconds("0." + std::string(100'000, '0') + "1", kMaxTime) == 0);
    CHECK(parse_microseconds("0.0005", kMaxTime) == 0);
    CHECK(parse_microseconds("0.0015", kMaxTime) == 2);
    CHECK(parse_microseconds("0.00050000000000000000000001", kMaxTime) == 1);
    CHECK(parse_microseconds("1e-999999", kMaxTime) == 0);
}

TEST_CASE("up to sixteen digits are read, eight at a time") {
    std::mt19937_64 random(9);
    for (int i = 0; i < 50'000; ++i) {
        const std::size_t length = 1 + random() % 16;
        std::string text;
        for (std::size_t k = 0; k < length; ++k) text += static_cast<char>('0' + random() % 10);
        const std::string padded = text + ",}" + std::string(32, '7');
        int64_t value = -1;
        REQUIRE(read_digits(std::string_view(padded).substr(0, length), value));
        REQUIRE(value == std::stoll(text));
    }
    const std::string no_digits = "12a4567890123456" + std::string(32, '\0');
    int64_t value = 0;
    CHECK_FALSE(read_digits(std::string_view(no_digits).substr(0, 16), value));
    CHECK_FALSE(read_digits(std::string_view(no_digits).substr(2, 3), value));
    const auto reads = [&](const std::string& text) {
        const std::string padded = text + std::string(32, '\0');
        return read_digits(std::string_view(padded).substr(0, text.size()), value);
    };
    CHECK(reads("12345678901234567"));
    CHECK(value == 12345678901234567);
    CHECK(reads("9223372036854775807"));
    CHECK(value == INT64_MAX);
    for (const char* text : {"9223372036854775808", "9999999999999999999", "18446744073709551616",
                             "123456789012345678901234567", "1234567890123456x"}) {
        CAPTURE(text);
        CHECK_FALSE(reads(text));
    }
}

TEST_CASE("a hexadecimal id has a value if no other text has the same value") {
    int64_t value = 0;
    CHECK(read_hex_id("0x0", value));
    CHECK(value == 0);
    CHECK(read_hex_id("0x7f3a", value));
    CHECK(value == 0x7f3a);
    CHECK(read_hex_id("0xffffffffffffffff", value));
    CHECK(value == -1);
    for (const char* text : {"", "0", "0x", "0x00", "0x01", "0x1F", "0X1f", "1x1f", "0x1g", "0x1f ",
                             "0x10000000000000000", "ff"}) {
        CAPTURE(text);
        CHECK_FALSE(read_hex_id(text, value));
    }
}

TEST_CASE(
    "numbers of up to fifteen digits are read at once, longer ones are left to the slow path") {
    std::string text;
    int64_t expected = 0;
    for (int digits = 1; digits <= 15; ++digits) {
        text += static_cast<char>('0' + digits % 10);
        expected = expected * 10 + digits % 10;
        CAPTURE(text);
        const std::string padded = text + ", \"0" + std::string(32, '\0');
        const char* p = padded.data();
        int64_t value = 0;
        CHECK(read_short_number(p, value));
        CHECK(value == expected);
        CHECK(p == padded.data() + digits);
    }
    for (const char* other : {"1234567890123456", "-1", "\"1\"", "x", ""}) {
        CAPTURE(other);
        const std::string padded = other + std::string(32, '\0');
        const char* p = padded.data();
        int64_t value = 0;
        CHECK_FALSE(read_short_number(p, value));
        CHECK(p == padded.data());
    }
}

TEST_CASE("times of a remote epoch are exact relative to a whole microsecond") {
    constexpr int64_t base = 13'984'392'629'999'074;
    CHECK(parse_microseconds_since(base, "13984392629999074", kMaxTime) == 0);
    CHECK(parse_microseconds_since(base, "13984392629999075.5", kMaxTime) == 1500);
    CHECK(parse_microseconds_since(base, "13984392629999073.999", kMaxTime) == -1);
    CHECK(parse_microseconds_since(base, "1.3984392629999074e+16", kMaxTime) == 0);
    CHECK(parse_microseconds_since(base, "1.39843926299990745e16", kMaxTime) == 500);
    CHECK(parse_microseconds_since(-base, "-13984392629999074.25", kMaxTime) == -250);
    for (const char* text : {"0", "9223372036854775807", "9223372036854775808", "x", "", "1e400"})
        CHECK_FALSE(parse_microseconds_since(base, text, kMaxTime));
}

TEST_CASE("only times that do not fit have a base") {
    CHECK(find_time_base(R"([{"ph":"B","ts" : 13984392629999074.5}])") == 13'984'392'629'999'074);
    CHECK(find_time_base(R"({"ts":"nonsense"},{"ts":"13984392629999074"})") ==
          13'984'392'629'999'074);
    CHECK(find_time_base(R"({"ts":0},{"ts":13984392629999074},{"ts":13984392629999075})") ==
          13'984'392'629'999'074);
    CHECK(find_time_base(R"({"ts":18446744073709551.615},{"ts":1715000000123456},)") == 0);
    CHECK(find_time_base(R"({"ts":1715000000123456},{"ts":13984392629999074})") == 0);
    for (const char* text : {"", "\"ts\"", "\"ts\":", "\"ts\": 1", "\"ts\": 1,",
                             "\"ts\": 99999999999999999999,", "[]"})
        CHECK(find_time_base(text) == 0);
}

TEST_CASE("integers are parsed exactly, all other numbers are refused") {
    CHECK(parse_integer("0") == 0);
    CHECK(parse_integer("-7") == -7);
    CHECK(parse_integer("9223372036854775807") == INT64_MAX);
    CHECK(parse_integer("-9223372036854775808") == INT64_MIN);
    CHECK(parse_integer("1.0") == 1);
    CHECK(parse_integer("1.5e1") == 15);
    CHECK(parse_integer("9007199254740993.0") == 9007199254740993);
    for (const char* text :
         {"", "1.5", "9223372036854775808", "1e19", "abc", "0x7", "1e-1", "--1"}) {
        CAPTURE(text);
        CHECK_FALSE(parse_integer(text));
    }
}

TEST_CASE("only finite numbers are parsed") {
    CHECK(parse_double("2.5") == 2.5);
    CHECK(parse_double("-1e300") == -1e300);
    for (const char* text : {"", "inf", "-inf", "nan", "NaN", "N/A", "1e999", "1x"}) {
        CAPTURE(text);
        CHECK_FALSE(parse_double(text));
    }
}
