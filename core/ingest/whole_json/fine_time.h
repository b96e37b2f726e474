// FineTime: exact sums of decimal times in seconds, milliseconds and so on.
#pragma once

#include <optional>
#include <string_view>

#include "core/base/nanos.h"

namespace lanescope {

// In units of 10^-18 s.
__extension__ typedef __int128 FineTime;

// The largest absolute time that is read: about 15 years, so that sums of many durations fit a
// Nanos.
inline constexpr FineTime kMaxFineTime = FineTime{500'000'000'000'000'000} * 1'000'000'000;

// A unit of time as a power of ten in seconds: -3 for "milliseconds"; empty: not a unit of time.
std::optional<int> time_unit_exponent(std::string_view unit);

// Parses a decimal number in the given unit, and drops digits below 10^-18 s. Empty: not a number,
// or beyond kMaxFineTime.
std::optional<FineTime> parse_fine_time(std::string_view text, int unit_exponent);

// Rounds to the nearest nanosecond, ties to even.
Nanos rounded(FineTime time);

}  // namespace lanescope
