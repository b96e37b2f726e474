// ClockTracker: converts times of all clocks of a Perfetto trace to the clock of its time line.
#pragma once

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
    // The same without snapshots: the number itself, with the clock's unit.
    Nanos plain(ClockKey clock, uint64_t reading);

    uint32_t trace_clock() const { return trace_clock_; }
    // What must be added to times to give Unix times; nothing if no snapshot has both clocks.
    std::optional<Nanos> unix_offset() const;

  private:
    struct Clock {
        bool is_incremental = false;
        int64_t unit = 1;  // ns
        int64_t last = 0;  // the reading before, of an incremental clock
        // Times in ns by snapshot, ascending.
        std::vector<std::pair<int64_t, uint32_t>> times;
    };
    struct Step {
        ClockKey from, to;
    };
    int64_t absolute(Clock& clock, uint64_t reading);
    const std::vector<Step>* path(ClockKey from);
    std::optional<int64_t> step(const Step& step, int64_t time) const;

    std::map<ClockKey, Clock> clocks_;
    std::vector<std::map<ClockKey, int64_t>> snapshots_;
    std::map<ClockKey, std::set<ClockKey>> neighbours_;
    std::map<ClockKey, std::optional<std::vector<Step>>> paths_;
    uint32_t trace_clock_ = kBootTimeClock;
    bool has_primary_ = false;
};

}  // namespace lanescope
