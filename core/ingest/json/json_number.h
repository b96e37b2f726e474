// Exact numbers of trace files: decimal text to integers and nanoseconds, never through a double.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include "core/base/nanos.h"

namespace lanescope {

// Times beyond ±126 years and durations beyond 31 years are refused, so that sums and differences
// of any two are exact.
inline constexpr Nanos kMaxTime = 4'000'000'000'000'000'000;
inline constexpr Nanos kMaxDuration = 1'000'000'000'000'000'000;

// Reads up to eight decimal digits at `p`: returns their value, and their number in `count`. Reads
// 8 bytes.
inline uint32_t read_eight_digits(const char* p, int& count) {
    if constexpr (std::endian::native == std::endian::little) {
        uint64_t v = 0;
        std::memcpy(&v, p, 8);
        const uint64_t t = v ^ 0x3030303030303030ULL;
        const uint64_t other = ((t + 0x0606060606060606ULL) | t) & 0xF0F0F0F0F0F0F0F0ULL;
        count = other ? std::countr_zero(other) >> 3 : 8;
        if (count == 0) return 0;
        uint64_t digits = t << (64 - 8 * count);  // right-aligned: leading zeros come first
        digits = (digits * 10) + (digits >> 8);
        return static_cast<uint32_t>(
            (((digits & 0x000000FF000000FFULL) * 0x000F424000000064ULL) +
             (((digits >> 16) & 0x000000FF000000FFULL) * 0x0000271000000001ULL)) >>
            32);
    }
    uint32_t value = 0;
    for (count = 0; count < 8 && p[count] >= '0' && p[count] <= '9'; ++count)
        value = value * 10 + static_cast<uint32_t>(p[count] - '0');
    return value;
}

// Parses a whole token of digits whose value fits. Reads up to 15 bytes beyond it.
inline bool read_digits(std::string_view token, int64_t& value) {
    constexpr int64_t pow10[9] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
    int count = 0;
    value = read_eight_digits(token.data(), count);
    if (count == 0) return false;
    if (static_cast<std::size_t>(count) == token.size()) return true;
    if (count < 8) return false;
    const int64_t more = read_eight_digits(token.data() + 8, count);
    value = value * pow10[count] + more;
    if (static_cast<std::size_t>(count) + 8 == token.size()) return true;
    if (count < 8) return false;
    const int64_t rest = read_eight_digits(token.data() + 16, count);
    return static_cast<std::size_t>(count) + 16 == token.size() &&
           !__builtin_mul_overflow(value, pow10[count], &value) &&
           !__builtin_add_overflow(value, rest, &value);
}

// Parses a token of the form "0x1f": up to 16 small hexadecimal digits without leading zeros, as
// most programs print ids and addresses. Another text has no value, so a value stands for one text.
inline bool read_hex_id(std::string_view token, int64_t& value) {
    if (token.size() < 3 || token.size() > 18 || token[0] != '0' || token[1] != 'x') return false;
    if (token[2] == '0' && token.size() > 3) return false;
    uint64_t bits = 0;
    for (const char c : token.substr(2)) {
        const bool is_digit = c >= '0' && c <= '9';
        if (!is_digit && (c < 'a' || c > 'f')) return false;
        bits = bits << 4U | static_cast<uint64_t>(c - (is_digit ? '0' : 'a' - 10));
    }
    value = static_cast<int64_t>(bits);
    return true;
}

// Parses 1 to 15 digits at `p` and moves `p` past them. False, with `p` unchanged, if there are no
// digits or more than 15. Reads 16 bytes.
inline bool read_short_number(const char*& p, int64_t& value) {
    constexpr int64_t pow10[8] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};
    int count = 0;
    value = read_eight_digits(p, count);
    if (count == 8) {
        const int64_t more = read_eight_digits(p + 8, count);
        if (count == 8) return false;
        value = value * pow10[count] + more;
        count += 8;
    }
    p += count;
    return count > 0;
}

// Parses microseconds in decimal text ("1419117003011.565") to nanoseconds. Handles the common form
// only: at most 18 digits before the point and three after it. On success `p` is moved past the
// number.
inline bool read_microseconds(const char*& p, Nanos& nanos) {
    constexpr uint64_t pow10[9] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
    const char* q = p;
    int count = 0;
    uint64_t whole = read_eight_digits(q, count);
    if (count == 0) return false;
    q += count;
    if (count == 8) {
        const uint32_t more = read_eight_digits(q, count);
        whole = whole * pow10[count] + more;
        q += count;
        // 17 digits or more: leave it to the general parser.
        if (count == 8 && *q >= '0' && *q <= '9') return false;
    }
    uint64_t fraction = 0;
    if (*q == '.') {
        ++q;
        fraction = read_eight_digits(q, count);
        if (count == 0 || count > 3) return false;
        fraction *= pow10[3 - count];
        q += count;
    }
    if ((*q | 0x20) == 'e') return false;
    if (whole > static_cast<uint64_t>(kMaxTime) / 1000) return false;
    nanos = static_cast<Nanos>(whole * 1000 + fraction);
    p = q;
    return true;
}

// Parses any decimal number of microseconds, with sign and exponent, rounded to the nearest
// nanosecond (ties to even). Empty if the text is not a number or is beyond ±`limit`.
std::optional<Nanos> parse_microseconds(std::string_view text, Nanos limit);

// Like the function above, for times whose nanoseconds may exceed 64 bits: returns the time since
// `base` microseconds. Empty if the difference exceeds ±`limit`.
std::optional<Nanos> parse_microseconds_since(int64_t base, std::string_view text, Nanos limit);
// Microseconds to subtract from all times of a file with a remote epoch: the first "ts" near the
// start of the text, unless a time there, other than 0, is within kMaxTime; otherwise 0.
int64_t find_time_base(std::string_view json);

// Parses an integer in decimal text; a fraction or exponent is allowed if the value is whole. Empty
// if it is not an integer or does not fit 64 bits.
std::optional<int64_t> parse_integer(std::string_view text);

// Parses a finite number; empty for anything else ("inf", "nan", "N/A").
std::optional<double> parse_double(std::string_view text);

}  // namespace lanescope
