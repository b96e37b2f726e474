#include "core/ingest/whole_json/fine_time.h"

#include <charconv>

namespace lanescope {

namespace {

constexpr int kDigitsOfSecond = 18;
constexpr FineTime kOfNano = 1'000'000'000;

bool is_decimal_digit(char c) {
    return c >= '0' && c <= '9';
}

// value × 10^power; empty beyond the limit.
std::optional<FineTime> scaled(FineTime value, int64_t power) {
    if (value == 0) return 0;
    for (; power > 0; --power) {
        if (value > kMaxFineTime) return std::nullopt;
        value *= 10;
    }
    for (; power < 0 && value > 0; ++power) value /= 10;
    if (value > kMaxFineTime) return std::nullopt;
    return value;
}

}  // namespace

std::optional<int> time_unit_exponent(std::string_view unit) {
    if (unit == "seconds") return 0;
    if (unit == "milliseconds") return -3;
    if (unit == "microseconds") return -6;
    if (unit == "nanoseconds") return -9;
    return std::nullopt;
}

std::optional<FineTime> parse_fine_time(std::string_view text, int unit_exponent) {
    constexpr FineTime most = FineTime{1} << 120;
    const bool negative = text.starts_with('-');
    if (negative || text.starts_with('+')) text.remove_prefix(1);
    FineTime value = 0;
    int64_t power = kDigitsOfSecond + unit_exponent;
    bool after_point = false;
    bool any = false;
    std::size_t i = 0;
    for (; i < text.size() && (is_decimal_digit(text[i]) || (text[i] == '.' && !after_point));
         ++i) {
        if (text[i] == '.') {
            after_point = true;
            continue;
        }
        any = true;
        const bool fits = value < most / 10;  // further digits are insignificant
        if (fits) value = value * 10 + (text[i] - '0');
        power += (fits ? 0 : 1) - (after_point ? 1 : 0);
    }
    if (!any) return std::nullopt;
    if (i < text.size() && (text[i] | 0x20) == 'e') {
        i += i + 1 < text.size() && text[i + 1] == '+' ? 2 : 1;
        int32_t exponent = 0;
        const auto [stop, code] =
            std::from_chars(text.data() + i, text.data() + text.size(), exponent);
        if (code != std::errc()) return std::nullopt;
        i = static_cast<std::size_t>(stop - text.data());
        power += exponent;
    }
    if (i != text.size()) return std::nullopt;
    const std::optional<FineTime> time = scaled(value, power);
    if (!time) return std::nullopt;
    return negative ? -*time : *time;
}

Nanos rounded(FineTime time) {
    FineTime whole = time / kOfNano;
    FineTime rest = time % kOfNano;
    if (rest < 0) {
        rest += kOfNano;
        --whole;
    }
    const bool up = rest * 2 > kOfNano || (rest * 2 == kOfNano && whole % 2 != 0);
    return static_cast<Nanos>(whole + (up ? 1 : 0));
}

}  // namespace lanescope
