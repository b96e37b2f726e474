// Bytes allocated and freed while an event ran.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/trace/trace.h"

namespace lanescope {

// Sums of a trace's "[memory]" instants by process, CPU and devices apart.
class MemorySums {
  public:
    explicit MemorySums(const Trace& trace);

    bool empty() const { return processes_.empty(); }
    // Bytes between two times, both included: {CPU, devices}. Asked for one process in order of
    // `begin`; `near`, 0 at first, keeps the place from one to the next.
    std::array<int64_t, 2> between(uint32_t process, Nanos begin, Nanos end,
                                   std::size_t& near) const {
        const OfProcess& of = processes_[process];
        while (of.time[near] < begin) ++near;
        if (of.time[near] > end) return {0, 0};  // as of most calls
        return between(of, near, end);
    }

  private:
    struct OfProcess {
        std::vector<Nanos> time;  // and behind the last one the end of time
        std::vector<std::array<int64_t, 2>> before{{0, 0}};  // [i]: of the first i instants
    };
    static std::array<int64_t, 2> between(const OfProcess& of, std::size_t first, Nanos end);

    std::vector<OfProcess> processes_;
};

}  // namespace lanescope
