// Bytes allocated and freed while an event ran.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/trace/trace.h"

namespace lanescope {

// Sums of a trace's "[memory]" instants by process, CPU and devices apart.
class MemorySums {
  public:
    explicit MemorySums(const Trace& trace);

    bool empty() const { return processes_.empty(); }
    // Bytes between two times, both included: {CPU, devices}.
    std::array<int64_t, 2> between(uint32_t process, Nanos begin, Nanos end) const;

  private:
    struct OfProcess {
        std::vector<Nanos> time;
        std::vector<std::array<int64_t, 2>> before{{0, 0}};  // [i]: of the first i instants
    };
    std::vector<OfProcess> processes_;
};

}  // namespace lanescope
