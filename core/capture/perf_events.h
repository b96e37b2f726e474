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

// The size of a ring, and of the copy of the stack in each sample, in bytes; no copy: 0.
struct PerfSizes {
    std::size_t ring = 0;
    std::size_t stack = 0;
};
// The sizes to try, from the largest on. A ring has room for the samples of a twentieth of a
// second, and the rings together do not take too much of the machine's memory.
std::vector<PerfSizes> perf_sizes(std::size_t processors, Nanos period);

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
    // 0, or the errno of opening or (is_memory) of mapping.
    struct Failure {
        int code = 0;
        bool is_memory = false;
    };
    Failure open_with(pid_t pid, Nanos period, PerfSizes sizes, std::size_t& attempt);
    void close_all();

    std::vector<Ring> rings_;
    bool sees_kernel_time_ = false;
};

}  // namespace lanescope
