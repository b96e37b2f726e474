// Bytes allocated and freed while an event ran.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/trace/trace.h"

namespace lanescope {

// Sums of a trace's "[memory]" instants by process, for CPU and devices.
class MemorySums {
  public:
    explicit MemorySums(const Trace& trace);

    bool empty() const { return processes_.empty(); }
    // Bytes between two times, both inclusive: {CPU, devices}. To be called for one process in
    // order of `begin`; `position`, initially 0, caches the position between calls.
    std::array<int64_t, 2> between(uint32_t process, Nanos begin, Nanos end,
                                   std::size_t& position) const {
        const OfProcess& sums = processes_[process];
        while (sums.time[position] < begin) ++position;
        if (sums.time[position] > end) return {0, 0};  // the case for most calls
        return between(sums, position, end);
    }

  private:
    struct OfProcess {
        std::vector<Nanos> time;  // ends with the end of time as a sentinel
        std::vector<std::array<int64_t, 2>> before{{0, 0}};  // [i]: sum of the first i instants
    };
    static std::array<int64_t, 2> between(const OfProcess& sums, std::size_t first, Nanos end);

    std::vector<OfProcess> processes_;
};

}  // namespace lanescope
