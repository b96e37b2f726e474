// ClockTracker: converts times of all clocks of a Perfetto trace to the clock of its time line.
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

// A clock. Numbers from 64 to 127 belong to one sequence each; `sequence` is 0 for all others.
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

    // The time on the trace's clock of a reading; nothing if no snapshots connect the clocks. An
    // incremental clock counts from its reading before.
    std::optional<Nanos> convert(ClockKey clock, uint64_t reading);
    // Converts a reading of a clock without snapshots: only the clock's unit is applied.
    Nanos plain(ClockKey clock, uint64_t reading);

    uint32_t trace_clock() const { return trace_clock_; }
    // The offset from trace times to Unix times; nothing if no snapshot has both clocks.
    std::optional<Nanos> unix_offset() const;

  private:
    struct Clock {
        bool is_incremental = false;
        int64_t unit = 1;                 // ns
        int64_t last = 0;                 // the reading before, of an incremental clock
        std::vector<uint32_t> snapshots;  // that have it
        std::vector<uint32_t> groups;     // that have it
    };
    // The next clock on the shortest way to the trace's clock, and how many steps are left.
    struct Hop {
        uint32_t steps = 0;
        ClockKey next;
        auto operator<=>(const Hop&) const = default;
    };
    // Offsets that convert times of one clock into times of another.
    struct Shifts {
        std::size_t taken = 0;  // of the first clock's snapshots
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
    // The different sets of clocks of snapshots. The clocks of a group convert to each other.
    std::vector<std::vector<ClockKey>> groups_;
    std::set<std::vector<ClockKey>> known_groups_;
    std::map<ClockKey, Hop> hops_;  // of the clocks that convert to the trace's
    bool are_hops_known_ = false;
    std::map<std::pair<ClockKey, ClockKey>, Shifts> shifts_;
    uint32_t trace_clock_ = kBootTimeClock;
    bool has_primary_ = false;
};

}  // namespace lanescope
