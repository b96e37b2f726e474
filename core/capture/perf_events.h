// Opens the kernel's perf events for a process and its children, with a ring for each processor.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/nanos.h"

namespace lanescope {

// Why this process cannot use perf events, and what to do about it.
struct PerfRefusal {
    std::string problem;
    std::string advice;
};
// The explanation for an errno from opening an event; `paranoid`: the contents of
// /proc/sys/kernel/perf_event_paranoid, empty if unknown.
PerfRefusal perf_refusal(int code, const std::string& paranoid);
// … for an errno from mapping a ring; `limit`: the contents of perf_event_mlock_kb.
PerfRefusal perf_memory_refusal(int code, const std::string& limit);

class PerfEvents {
  public:
    // Sampling begins when the process calls exec(). `period`: CPU time between samples. Empty if
    // the kernel refuses, with the reason in the last argument.
    static std::optional<PerfEvents> open(pid_t pid, Nanos period, PerfRefusal& refusal);
    ~PerfEvents();
    PerfEvents(PerfEvents&& other) noexcept;
    PerfEvents& operator=(PerfEvents&&) = delete;
    PerfEvents(const PerfEvents&) = delete;

    // Stops sampling; the processes continue.
    void disable() const;
    // All complete records written since the last call, processor by processor.
    std::string take();
    // For poll(): readable when a ring fills.
    std::vector<int> descriptors() const;
    // Whether samples are also taken while the kernel works for the process.
    bool sees_kernel_time() const { return sees_kernel_time_; }

  private:
    struct Ring {
        int fd = -1;
        void* page = nullptr;  // the kernel's control page, followed by the ring
        std::size_t bytes = 0;
    };
    PerfEvents() = default;

    std::vector<Ring> rings_;
    bool sees_kernel_time_ = false;
};

}  // namespace lanescope
