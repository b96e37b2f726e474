// SchedTracker: determines what ran on each CPU, and the states of threads, from switches; the CPUs
// may come in any order.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/nanos.h"

namespace lanescope {

enum class TaskState : uint8_t {
    unknown,
    created,
    runnable,
    running,
    sleeping,
    uninterruptible,
    stopped,
    dead,
    destroyed,
};
// "Running", "Sleeping", …
std::string_view task_state_name(TaskState state);
// The state of the thread that stops running, from an ftrace switch.
TaskState state_of_switch(int64_t previous_state);

struct RunOnCpu {
    uint32_t cpu;
    int64_t tid;
    Nanos begin, end;
    uint64_t source;
};
struct StateOfThread {
    int64_t tid;
    Nanos begin, end;
    TaskState state;
    uint64_t source;
};

class SchedTracker {
  public:
    // Adds a switch of a CPU from one thread to another. `previous` < 0: unknown.
    void add_switch(uint32_t cpu, Nanos time, int64_t previous, TaskState state, int64_t next,
                    uint64_t source);
    // Adds a switch from a list of switches. `previous`: the thread that ran before, if no switch
    // between the two was lost.
    void add_compact_switch(uint32_t cpu, Nanos time, int64_t previous, TaskState state,
                            int64_t next, uint64_t source);
    // A thread starts to wait for a CPU.
    void add_wakeup(Nanos time, int64_t tid, uint64_t source);
    // A thread changes its state. If `state` is running, it runs on this CPU.
    void add_state(uint32_t cpu, Nanos time, int64_t tid, TaskState state, uint64_t source);

    bool is_empty() const { return switches_.empty() && states_.empty(); }
    // Both are sorted by time. Open ranges end at `last`. Leaves out the idle thread, 0.
    std::vector<RunOnCpu> runs(Nanos last);
    std::vector<StateOfThread> states(Nanos last);

  private:
    struct Switch {
        uint32_t cpu;
        Nanos time;
        int64_t tid;      // thread that runs from then on; -1: none
        int64_t only_if;  // applies only if this thread ran until then; -1: any thread
        uint64_t source;
    };
    struct Change {
        int64_t tid;
        Nanos time;
        TaskState state;
        bool is_wakeup;
        uint64_t source;
    };
    std::map<uint32_t, int64_t> last_of_cpu_;
    std::vector<Switch> switches_;
    std::vector<Change> states_;
};

}  // namespace lanescope
