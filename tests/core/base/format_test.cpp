#include "core/base/format.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>

using namespace lanescope;

TEST_CASE("durations have at most four significant digits and a unit") {
    CHECK(format_duration(Nanos{0}) == "0 ns");
    CHECK(format_duration(Nanos{1}) == "1 ns");
    CHECK(format_duration(Nanos{680}) == "680 ns");
    CHECK(format_duration(Nanos{999}) == "999 ns");
    CHECK(format_duration(Nanos{1'000}) == "1 µs");
    CHECK(format_duration(Nanos{78'400}) == "78.4 µs");
    CHECK(format_duration(Nanos{78'432}) == "78.43 µs");
    CHECK(format_duration(Nanos{999'949}) == "999.9 µs");
    CHECK(format_duration(Nanos{999'951}) == "1 ms");
    CHECK(format_duration(Nanos{4'426'123}) == "4.426 ms");
    CHECK(format_duration(Nanos{1'500'000'000}) == "1.5 s");
    CHECK(format_duration(Nanos{12'345'000'000'000}) == "12\u2009345 s");
    CHECK(format_duration(Nanos{-78'432}) == "-78.43 µs");
    CHECK(format_duration(-0.0) == "0 ns");
    CHECK(format_duration(0.25) == "0.25 ns");
    CHECK(format_duration(std::optional<Nanos>{}) == kUnknown);
    CHECK(format_duration(std::nan("")) == kUnknown);
}

TEST_CASE("exact durations keep every nanosecond") {
    CHECK(format_duration_exact(0) == "0 ns");
    CHECK(format_duration_exact(78'432) == "78.432 µs");
    CHECK(format_duration_exact(5'000'000) == "5 ms");
    CHECK(format_duration_exact(1'204'000'000'001) == "1\u2009204.000000001 s");
    CHECK(format_duration_exact(-1'001) == "-1.001 µs");
    CHECK(format_duration_exact(std::numeric_limits<int64_t>::min()) ==
          "-9\u2009223\u2009372\u2009036.854775808 s");
}

TEST_CASE("unit and decimals can be chosen") {
    CHECK(format_duration_in(4'800, TimeUnit::us, 2) == "4.80 µs");
    CHECK(format_duration_in(4'805, TimeUnit::us, 2) == "4.81 µs");
    CHECK(format_duration_in(4'804, TimeUnit::us, 2) == "4.80 µs");
    CHECK(format_duration_in(2'611'600, TimeUnit::ms, 4) == "2.6116 ms");
    CHECK(format_duration_in(12, TimeUnit::ns, 3) == "12 ns");
    CHECK(format_duration_in(-4, TimeUnit::us, 1) == "0.0 µs");
    CHECK(format_duration_in(2'000'000'000'000, TimeUnit::ms, 0) == "2\u2009000\u2009000 ms");
}

TEST_CASE("counts are grouped by threes") {
    CHECK(format_count(0) == "0");
    CHECK(format_count(999) == "999");
    CHECK(format_count(2'551) == "2\u2009551");
    CHECK(format_count(-1'234'567) == "-1\u2009234\u2009567");
}

TEST_CASE("bytes use units of 1024") {
    CHECK(format_bytes(0) == "0 B");
    CHECK(format_bytes(1023) == "1\u2009023 B");
    CHECK(format_bytes(1024) == "1 KiB");
    CHECK(format_bytes(49'152) == "48 KiB");
    CHECK(format_bytes(576'717) == "563.2 KiB");
    CHECK(format_bytes(int64_t{80} << 30) == "80 GiB");
}

TEST_CASE("numbers, percentages and rates are rounded and have units") {
    CHECK(format_number(106.94) == "106.9");
    CHECK(format_number(98'765.4) == "98\u2009765");
    CHECK(format_number(0.000123456) == "0.0001235");
    CHECK(format_number(std::numeric_limits<double>::infinity()) == kUnknown);
    CHECK(format_percent(0.079) == "7.9 %");
    CHECK(format_percent(1) == "100 %");
    CHECK(format_percent(std::nan("")) == kUnknown);
    CHECK(format_si(4.5e12, "FLOP/s") == "4.5 TFLOP/s");
    CHECK(format_si(971, "B/s") == "971 B/s");
}

TEST_CASE("texts are cut between characters") {
    const std::string text = "aé♯";  // 1, 2 and 3 bytes
    const std::size_t expected[] = {0, 1, 1, 3, 3, 3, 6};
    for (std::size_t at = 0; at <= text.size(); ++at) CHECK(character_at(text, at) == expected[at]);
    CHECK(character_at("\x80\x80", 1) == 0);
}
