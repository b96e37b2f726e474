// Converts the times of a spool file (ticks, and nanoseconds of CUPTI's clock) to nanoseconds since
// 1970.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/base/nanos.h"
#include "core/spool/spool_records.h"

namespace lanescope {

__extension__ typedef __int128 WideNanos;

// Times beyond these bounds are damaged. Within them, sums cannot overflow.
inline constexpr Nanos kSpoolLatest = INT64_MAX / 4;

inline Nanos clamp_time(WideNanos time) {
    return static_cast<Nanos>(std::clamp<WideNanos>(time, -kSpoolLatest, kSpoolLatest));
}

class SpoolTime {
  public:
    explicit SpoolTime(const SpoolHeader& header)
        : ticks_(header.ticks), unix_ns_(header.unix_ns), tick_ns_(header.tick_ns) {}

    Nanos of_ticks(uint64_t ticks) const {
        const WideNanos elapsed = static_cast<WideNanos>(ticks) - static_cast<WideNanos>(ticks_);
        return clamp_time(unix_ns_ + ((elapsed * tick_ns_) >> 32));
    }

  private:
    uint64_t ticks_;
    int64_t unix_ns_;
    uint64_t tick_ns_;
};

// CUPTI's clock in one process, from the clock pairs that the process wrote.
class CuptiTime {
  public:
    void add(int64_t cupti, Nanos time) {
        const Pair pair{clamp_time(cupti), time};
        const auto after = [](const Pair& a, const Pair& b) { return a.cupti < b.cupti; };
        pairs_.insert(std::upper_bound(pairs_.begin(), pairs_.end(), pair, after), pair);
    }

    // Interpolates linearly between two pairs, and extrapolates at the same rate before the first
    // and after the last. Without pairs, returns the time unchanged.
    Nanos time_of(int64_t cupti) const {
        const Nanos at = clamp_time(cupti);
        if (pairs_.empty()) return at;
        const auto after = std::upper_bound(pairs_.begin(), pairs_.end(), at,
                                            [](Nanos t, const Pair& p) { return t < p.cupti; });
        if (after == pairs_.begin()) return shifted(pairs_.front(), at);
        const Pair& before = *(after - 1);
        if (after == pairs_.end() || after->cupti == before.cupti) return shifted(before, at);
        const WideNanos part =
            static_cast<WideNanos>(at - before.cupti) * (after->time - before.time);
        return clamp_time(before.time + part / (after->cupti - before.cupti));
    }

  private:
    struct Pair {
        Nanos cupti;
        Nanos time;
    };
    static Nanos shifted(const Pair& pair, Nanos at) {
        return clamp_time(static_cast<WideNanos>(at) - pair.cupti + pair.time);
    }

    std::vector<Pair> pairs_;  // ascending
};

}  // namespace lanescope
