// Exact time: whole nanoseconds, from the file's text to the screen.
#pragma once

#include <cstdint>
#include <limits>

namespace lanescope {

using Nanos = int64_t;

// A half-open range of time [begin, end).
struct TimeRange {
    Nanos begin = 0;
    Nanos end = 0;

    Nanos length() const { return end - begin; }
    bool contains(Nanos t) const { return t >= begin && t < end; }
    bool overlaps(TimeRange other) const { return begin < other.end && other.begin < end; }
    friend bool operator==(const TimeRange&, const TimeRange&) = default;
};

inline constexpr TimeRange kAllTime = {std::numeric_limits<Nanos>::min(),
                                       std::numeric_limits<Nanos>::max()};

}  // namespace lanescope
