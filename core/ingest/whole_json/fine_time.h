// FineTime: sums of decimal numbers of seconds, milliseconds and so on, without rounding.
#pragma once

#include <optional>
#include <string_view>

#include "core/base/nanos.h"

namespace lanescope {

// In units of 10^-18 s.
__extension__ typedef __int128 FineTime;

// The times that are read: 15 years on either side of zero, so that sums of many durations fit a
// Nanos.
inline constexpr FineTime kMaxFineTime = FineTime{500'000'000'000'000'000} * 1'000'000'000;

// A unit of time as a power of ten, in seconds: -3 of "milliseconds"; empty if it is no time.
std::optional<int> time_unit_exponent(std::string_view unit);

// A decimal number of such units, without digits beyond 10^-18 s. Empty: no number, or beyond
// kMaxFineTime.
std::optional<FineTime> parse_fine_time(std::string_view text, int unit_exponent);

// To the nearest nanosecond, ties to even.
Nanos rounded(FineTime time);

}  // namespace lanescope
