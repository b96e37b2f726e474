#include "core/ingest/json/json_number.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <utility>

#include "core/base/read_double.h"

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

// Splits at the decimal point.
std::pair<Decimal, Decimal> halves_of(const Decimal& d) {
    const auto size = static_cast<int64_t>(d.digits.size());
    const auto split = static_cast<std::size_t>(std::clamp<int64_t>(size + d.exponent, 0, size));
    return {{d.negative, d.digits.substr(0, split), std::max<int64_t>(d.exponent, 0)},
            {d.negative, d.digits.substr(split), std::min<int64_t>(d.exponent, 0)}};
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

std::optional<Nanos> parse_microseconds_since(int64_t base, std::string_view text, Nanos limit) {
    const std::optional<Decimal> decimal = parse_decimal(text);
    if (!decimal) return std::nullopt;
    auto [whole, rest] = halves_of(*decimal);
    rest.exponent += 3;
    bool exact = false;
    const std::optional<int64_t> micros = round_decimal(whole, exact);
    const std::optional<int64_t> nanos = round_decimal(rest, exact);
    int64_t since = 0;
    if (!micros || !nanos || __builtin_sub_overflow(*micros, base, &since) ||
        __builtin_mul_overflow(since, 1000, &since) ||
        __builtin_add_overflow(since, *nanos, &since) || since > limit || since < -limit)
        return std::nullopt;
    return since;
}

int64_t find_time_base(std::string_view json) {
    constexpr std::string_view kBlank = " \n\r\t";
    constexpr std::string_view kKey = "\"ts\"";
    int64_t base = 0;
    bool exact = false;
    for (std::size_t at = json.find(kKey); at != std::string_view::npos; at = json.find(kKey, at)) {
        at += kKey.size();
        const std::size_t colon = json.find_first_not_of(kBlank, at);
        if (colon == std::string_view::npos || json[colon] != ':') continue;
        const std::size_t begin = json.find_first_not_of(": \n\r\t\"", colon);
        if (begin == std::string_view::npos) break;
        const std::size_t end = json.find_first_not_of("+-.0123456789eE", begin);
        if (end == std::string_view::npos) break;
        const std::string_view number = json.substr(begin, end - begin);
        if (const std::optional<Nanos> usual = parse_microseconds(number, kMaxTime)) {
            if (*usual != 0) return 0;
        } else if (const std::optional<Decimal> far = parse_decimal(number); far && base == 0) {
            base = round_decimal(halves_of(*far).first, exact).value_or(0);
        }
    }
    return base;
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
    const auto [stop, code] = read_double(text.data(), text.data() + text.size(), value);
    if (code != std::errc() || stop != text.data() + text.size() || !std::isfinite(value))
        return std::nullopt;
    return value;
}

}  // namespace lanescope
