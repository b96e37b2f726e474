// Formats numbers for people. All numbers on a screen or terminal are formatted here; data formats
// (JSON, CSV) print integers as they are.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/nanos.h"

namespace lanescope {

// Shown for an unknown value, which is never shown as 0.
inline constexpr std::string_view kUnknown = "–";
// Separates groups of three digits.
inline constexpr std::string_view kThinSpace = "\u2009";

enum class TimeUnit : uint8_t { ns, us, ms, s };

// "ns", "µs", "ms", "s".
std::string_view time_unit_name(TimeUnit unit);
// Nanoseconds in one unit: 1, 1e3, 1e6, 1e9.
Nanos time_unit_nanos(TimeUnit unit);
// The largest unit in which the absolute value of `t` is at least 1; ns for 0.
TimeUnit time_unit_for(Nanos t);

// At most four significant digits, no trailing zeros: "680 ns", "78.4 µs", "4.426 ms", "12 345 s".
std::string format_duration(Nanos t);
// Every digit: "78.432 µs", "1 204.000000001 s".
std::string format_duration_exact(Nanos t);
// Formats in the given unit with the given number of decimals, rounded half away from zero: "4.80
// µs". For rulers and for columns of aligned numbers.
std::string format_duration_in(Nanos t, TimeUnit unit, int decimals);
// Formats a mean or deviation in fractional nanoseconds; kUnknown if not finite.
std::string format_duration(double nanos);
std::string format_duration(std::optional<Nanos> t);

// Whole numbers in groups of three: "2 551".
std::string format_count(int64_t count);
// "1 call", "2 551 calls".
std::string format_count(uint64_t count, std::string_view one, std::string_view many);
// In steps of 1024, at most four significant digits: "512 B", "48 KiB", "563.2 KiB".
std::string format_bytes(int64_t bytes);
// At most `significant` digits, no trailing zeros, groups of three before the point.
std::string format_number(double value, int significant = 4);
// The given number of decimals, groups of three before the point: "12 345.60".
std::string format_decimals(double value, int decimals);
// A ratio of 1 is "100 %"; one decimal below 100: "7.9 %".
std::string format_percent(double ratio);
// A part of a whole in percent; kUnknown if the whole is empty.
std::string format_share(Nanos part, Nanos whole);
// In steps of 1000 with k, M, G, T, P before the unit: (4.5e12, "FLOP/s") is "4.5 TFLOP/s".
std::string format_si(double value, std::string_view unit);

// The last position at or before `at` where a UTF-8 character begins: a safe position to cut the
// text. `at` must not exceed the text's length.
std::size_t character_at(std::string_view text, std::size_t at);

}  // namespace lanescope
