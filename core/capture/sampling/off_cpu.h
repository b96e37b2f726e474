// Times in which threads did not run, from the kernel's records of switches.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/base/nanos.h"
#include "core/capture/sampling/perf_records.h"

namespace lanescope {

// A time in which a thread did not run.
struct OffCpuWait {
    Nanos begin = 0, end = 0;  // of CLOCK_MONOTONIC
    bool is_preempted = false;
    PerfRecord at;  // the thread, and the stack that it waited in; no frames: not known
};

class OffCpuWaits {
  public:
    // Shorter waits are only counted.
    explicit OffCpuWaits(Nanos shortest) : shortest_(shortest) {}

    // Records must be in order of time. Returns the wait that ends with this record.
    std::optional<OffCpuWait> take(const PerfRecord& record);
    // A thread that exists when the recording begins, and has not run since.
    void add_waiting(uint32_t pid, uint32_t tid, Nanos since);
    // The waits that have not ended, as if they ended now.
    std::vector<OffCpuWait> end_all(Nanos now);

    Nanos shortest() const { return shortest_; }
    uint64_t short_waits() const { return short_waits_; }
    Nanos short_time() const { return short_time_; }

  private:
    struct Thread {
        OffCpuWait wait;  // its stack is known first
        bool is_off = false;
    };
    bool is_long(const OffCpuWait& wait);

    Nanos shortest_;
    std::unordered_map<uint32_t, Thread> threads_;  // by tid
    uint64_t short_waits_ = 0;
    Nanos short_time_ = 0;
};

}  // namespace lanescope
