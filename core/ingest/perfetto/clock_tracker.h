// ClockTracker: converts times of all clocks in a Perfetto trace to the trace's clock.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/nanos.h"

namespace lanescope {

// A clock. Clock numbers 64 to 127 are local to a sequence; for all others, `sequence` is 0.
using ClockKey = std::pair<uint32_t /*sequence*/, uint32_t /*number*/>;

inline constexpr uint32_t kRealTimeClock = 1;
inline constexpr uint32_t kMonotonicClock = 3;
inline constexpr uint32_t kRawMonotonicClock = 5;
inline constexpr uint32_t kBootTimeClock = 6;

class ClockTracker {
  public:
    static ClockKey key_of(uint32_t sequence, uint32_t clock) {
        const bool is_local = clock >= 64 && clock < 128;
        return {is_local ? sequence : 0, clock};
    }

    // Takes a ClockSnapshot of a sequence. Throws protozero::exception.
    void take(std::string_view message, uint32_t sequence);

    // Converts a reading to the trace's clock; none: no snapshots connect the clocks. The reading
    // of an incremental clock is added to its previous reading.
    std::optional<Nanos> convert(ClockKey clock, uint64_t reading);
    // Converts a reading of a clock without snapshots: applies only the clock's unit.
    Nanos plain(ClockKey clock, uint64_t reading);

    uint32_t trace_clock() const { return trace_clock_; }
    // The offset from trace times to Unix times; none: no snapshot has both clocks.
    std::optional<Nanos> unix_offset() const;

  private:
    struct Clock {
        bool is_incremental = false;
        int64_t unit = 1;                 // ns
        int64_t last = 0;                 // previous reading of an incremental clock
        std::vector<uint32_t> snapshots;  // snapshots with this clock
        std::vector<uint32_t> groups;     // groups with this clock
    };
    // The next clock on the shortest path to the trace's clock, and the number of remaining steps.
    struct Hop {
        uint32_t steps = 0;
        ClockKey next;
        auto operator<=>(const Hop&) const = default;
    };
    // Offsets that convert times of one clock to another clock.
    struct Shifts {
        std::size_t taken = 0;  // number of the first clock's snapshots already used
        // By time on the first clock and number of the snapshot.
        std::map<std::pair<int64_t, uint32_t>, int64_t> by_time;
    };
    int64_t absolute(Clock& clock, uint64_t reading);
    void add_group(std::vector<ClockKey> group);
    void add_hops(const std::vector<ClockKey>& group);
    void find_hops();
    const Shifts& shifts_of(ClockKey from, ClockKey to);
    std::optional<int64_t> step(ClockKey from, ClockKey to, int64_t time);

    std::map<ClockKey, Clock> clocks_;
    std::vector<std::map<ClockKey, int64_t>> snapshots_;
    // The distinct sets of clocks in snapshots. Clocks in the same group convert to each other.
    std::vector<std::vector<ClockKey>> groups_;
    std::set<std::vector<ClockKey>> known_groups_;
    std::map<ClockKey, Hop> hops_;  // of the clocks that convert to the trace's clock
    bool are_hops_known_ = false;
    std::map<std::pair<ClockKey, ClockKey>, Shifts> shifts_;
    uint32_t trace_clock_ = kBootTimeClock;
    bool has_primary_ = false;
};

}  // namespace lanescope
