// Opens the kernel's perf events for one process and its children, a ring for each processor.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/nanos.h"

namespace lanescope {

// What keeps perf events from this process, and what to do about it.
struct PerfRefusal {
    std::string problem;
    std::string advice;
};
// By the errno of the refusal to sample; `paranoid`: what the kernel says of itself
// (/proc/sys/kernel/perf_event_paranoid), empty where that is not known.
PerfRefusal perf_refusal(int code, const std::string& paranoid);
// … of the refusal to give memory for records; `limit`: perf_event_mlock_kb.
PerfRefusal perf_memory_refusal(int code, const std::string& limit);

class PerfEvents {
  public:
    // Begins when the process calls exec(). `period`: of CPU time, from sample to sample. Nothing,
    // and why, where the kernel refuses.
    static std::optional<PerfEvents> open(pid_t pid, Nanos period, PerfRefusal& refusal);
    ~PerfEvents();
    PerfEvents(PerfEvents&& other) noexcept;
    PerfEvents& operator=(PerfEvents&&) = delete;
    PerfEvents(const PerfEvents&) = delete;

    // The processes go on, and are no longer sampled.
    void disable() const;
    // All that was written since the last time, whole records, processor by processor.
    std::string take();
    // To be waited for: readable when a ring fills.
    std::vector<int> descriptors() const;
    // Samples while the kernel runs for the process are taken as well.
    bool sees_kernel_time() const { return sees_kernel_time_; }

  private:
    struct Ring {
        int fd = -1;
        void* page = nullptr;  // of the kernel's, the ring behind it
        std::size_t bytes = 0;
    };
    PerfEvents() = default;

    std::vector<Ring> rings_;
    bool sees_kernel_time_ = false;
};

}  // namespace lanescope
