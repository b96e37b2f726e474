#include "core/ingest/json/json_number.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

namespace lanescope {

namespace {

// A decimal number in parts: digits × 10^exponent.
struct Decimal {
    bool negative = false;
    std::string digits;  // without leading zeros
    int64_t exponent = 0;
};

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

std::optional<Decimal> parse_decimal(std::string_view text) {
    Decimal d;
    std::size_t i = 0;
    if (i < text.size() && (text[i] == '-' || text[i] == '+')) d.negative = text[i++] == '-';
    bool any = false;
    bool after_point = false;
    for (; i < text.size(); ++i) {
        if (text[i] == '.' && !after_point) {
            after_point = true;
            continue;
        }
        if (!is_digit(text[i])) break;
        any = true;
        if (after_point) --d.exponent;
        if (text[i] != '0' || !d.digits.empty()) d.digits.push_back(text[i]);
    }
    if (!any) return std::nullopt;
    if (i < text.size() && (text[i] | 0x20) == 'e') {
        ++i;
        if (i + 1 < text.size() && text[i] == '+' && text[i + 1] != '-') ++i;
        int64_t exponent = 0;
        const auto [stop, code] =
            std::from_chars(text.data() + i, text.data() + text.size(), exponent);
        if (code != std::errc() || exponent > 1'000'000 || exponent < -1'000'000)
            return std::nullopt;
        i = static_cast<std::size_t>(stop - text.data());
        d.exponent += exponent;
    }
    if (i != text.size()) return std::nullopt;
    return d;
}

// The nearest integer (ties to even); empty beyond 19 digits.
std::optional<int64_t> round_decimal(const Decimal& d, bool& exact) {
    exact = true;
    const int64_t whole_digits = static_cast<int64_t>(d.digits.size()) + d.exponent;
    if (d.digits.empty()) return 0;
    if (whole_digits > 19) return std::nullopt;
    if (whole_digits < 0) {
        exact = false;
        return 0;
    }
    uint64_t value = 0;
    for (int64_t i = 0; i < whole_digits; ++i) {
        const auto digit = i < static_cast<int64_t>(d.digits.size())
                               ? static_cast<uint64_t>(d.digits[static_cast<std::size_t>(i)] - '0')
                               : 0;
        value = value * 10 + digit;
    }
    const std::string_view rest = std::string_view(d.digits).substr(
        std::min<std::size_t>(static_cast<std::size_t>(whole_digits), d.digits.size()));
    const bool any_rest = rest.find_first_not_of('0') != std::string_view::npos;
    if (any_rest) {
        exact = false;
        const bool over_half =
            rest[0] > '5' ||
            (rest[0] == '5' && rest.substr(1).find_first_not_of('0') != std::string_view::npos);
        const bool tie = rest[0] == '5' && !over_half;
        if (over_half || (tie && (value & 1))) ++value;
    }
    if (value > static_cast<uint64_t>(INT64_MAX)) return std::nullopt;
    return d.negative ? -static_cast<int64_t>(value) : static_cast<int64_t>(value);
}

}  // namespace

std::optional<Nanos> parse_microseconds(std::string_view text, Nanos limit) {
    std::optional<Decimal> decimal = parse_decimal(text);
    if (!decimal) return std::nullopt;
    decimal->exponent += 3;
    bool exact = false;
    const std::optional<int64_t> nanos = round_decimal(*decimal, exact);
    if (!nanos || *nanos > limit || *nanos < -limit) return std::nullopt;
    return nanos;
}

std::optional<int64_t> parse_integer(std::string_view text) {
    int64_t value = 0;
    const auto [stop, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code == std::errc() && stop == text.data() + text.size()) return value;
    const std::optional<Decimal> decimal = parse_decimal(text);
    if (!decimal) return std::nullopt;
    bool exact = false;
    const std::optional<int64_t> rounded = round_decimal(*decimal, exact);
    return exact ? rounded : std::nullopt;
}

std::optional<double> parse_double(std::string_view text) {
    double value = 0;
    const auto [stop, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc() || stop != text.data() + text.size() || !std::isfinite(value))
        return std::nullopt;
    return value;
}

}  // namespace lanescope
