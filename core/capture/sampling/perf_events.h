// Opens the kernel's perf events for a process and its children, with a ring for each processor.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
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

struct PerfRequest {
    // One process that is about to call exec(), or all threads of running processes. Their children
    // are included.
    std::vector<pid_t> threads;
    Nanos period = 0;       // CPU time between samples
    bool on_exec = true;    // sampling begins at exec(); else with enable()
    bool switches = false;  // also records when threads stop running and run again
};

// The size of a ring, and of the copy of the stack in each sample, in bytes; no copy: 0.
struct PerfSizes {
    std::size_t ring = 0;
    std::size_t stack = 0;
};
// The sizes to try, from the largest on. A ring has room for the samples of a twentieth of a
// second, and all together do not take too much of the machine's memory. `rings`: how many each
// processor has.
std::vector<PerfSizes> perf_sizes(std::size_t processors, Nanos period, std::size_t rings = 1);

class PerfEvents {
  public:
    // Threads that have ended are left out. Empty if the kernel refuses, or if all have ended, with
    // the reason in the last argument.
    static std::optional<PerfEvents> open(const PerfRequest& request, PerfRefusal& refusal);
    ~PerfEvents();
    PerfEvents(PerfEvents&& other) noexcept;
    PerfEvents& operator=(PerfEvents&&) = delete;
    PerfEvents(const PerfEvents&) = delete;

    // Begins to sample running processes.
    void enable() const;
    // Stops sampling; the processes continue.
    void disable() const;
    // All complete records written since the last call, processor by processor.
    std::string take();
    // For poll(): readable when a ring of samples fills. A program that switches often may fill the
    // others at any rate: they are read from time to time, and the kernel drops what has no room.
    std::vector<int> descriptors() const;
    // Whether samples are also taken while the kernel works for the process.
    bool sees_kernel_time() const { return sees_kernel_time_; }
    // Whether records of switches include stacks.
    bool sees_wait_stacks() const { return sees_wait_stacks_; }

  private:
    struct Ring {
        int fd = -1;
        void* page = nullptr;  // the kernel's control page, followed by the ring
        std::size_t bytes = 0;
        bool has_wait_stacks = false;
    };
    PerfEvents() = default;
    // 0, or the errno of opening or (is_memory) of mapping.
    struct Failure {
        int code = 0;
        bool is_memory = false;
    };
    Failure open_with(const PerfRequest& request, PerfSizes sizes, std::size_t& attempt);
    Failure open_wait_stacks(const PerfRequest& request, PerfSizes sizes);
    int add(int fd, int processor, PerfSizes sizes, bool has_wait_stacks);
    void close_all();

    std::vector<Ring> rings_;
    std::vector<int> others_;                    // events that write into the ring of another one
    std::map<std::pair<int, bool>, int> first_;  // by processor and kind: the event with the ring
    bool sees_wait_stacks_ = false;
    bool sees_kernel_time_ = false;
};

}  // namespace lanescope
