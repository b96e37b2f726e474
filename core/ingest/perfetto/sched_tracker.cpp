#include "core/ingest/perfetto/sched_tracker.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace lanescope {

std::string_view task_state_name(TaskState state) {
    constexpr std::array<std::string_view, 9> names = {
        "Unknown", "Created", "Runnable", "Running", "Sleeping", "Uninterruptible sleep",
        "Stopped", "Dead",    "Destroyed"};
    return names[static_cast<std::size_t>(state)];
}

TaskState state_of_switch(int64_t previous_state) {
    constexpr int64_t kBits = 0xff;
    const int64_t bits = previous_state & kBits;
    if (bits == 0) return TaskState::runnable;
    if (bits & 0x1) return TaskState::sleeping;
    if (bits & 0x2) return TaskState::uninterruptible;
    if (bits & 0xc) return TaskState::stopped;
    if (bits & 0x10) return TaskState::destroyed;
    if (bits & 0x20) return TaskState::dead;
    return bits & 0x80 ? TaskState::sleeping : TaskState::unknown;
}

void SchedTracker::add_switch(uint32_t cpu, Nanos time, int64_t previous, TaskState state,
                              int64_t next, uint64_t source) {
    switches_.push_back({cpu, time, next, -1, source});
    if (previous > 0) states_.push_back({previous, time, state, false, source});
    if (next > 0) states_.push_back({next, time, TaskState::running, false, source});
}

void SchedTracker::add_compact_switch(uint32_t cpu, Nanos time, int64_t previous, TaskState state,
                                      int64_t next, uint64_t source) {
    const auto [last, is_new] = last_of_cpu_.try_emplace(cpu, -1);
    add_switch(cpu, time, previous >= 0 ? previous : last->second, state, next, source);
    last->second = next;
}

void SchedTracker::add_wakeup(Nanos time, int64_t tid, uint64_t source) {
    if (tid > 0) states_.push_back({tid, time, TaskState::runnable, true, source});
}

void SchedTracker::add_state(uint32_t cpu, Nanos time, int64_t tid, TaskState state,
                             uint64_t source) {
    const bool runs = state == TaskState::running;
    switches_.push_back({cpu, time, runs ? tid : -1, runs ? -1 : tid, source});
    if (tid > 0) states_.push_back({tid, time, state, false, source});
}

std::vector<RunOnCpu> SchedTracker::runs(Nanos last) {
    std::ranges::stable_sort(switches_, [](const Switch& a, const Switch& b) {
        return std::tie(a.cpu, a.time) < std::tie(b.cpu, b.time);
    });
    std::vector<RunOnCpu> runs;
    const Switch* open = nullptr;
    const auto close = [&](Nanos end) {
        if (open && open->tid > 0)
            runs.push_back(
                {open->cpu, open->tid, open->time, std::max(end, open->time), open->source});
        open = nullptr;
    };
    for (const Switch& change : switches_) {
        if (open && open->cpu != change.cpu) close(last);
        if (change.only_if >= 0 && (!open || open->tid != change.only_if)) continue;
        close(change.time);
        if (change.tid >= 0) open = &change;
    }
    close(last);
    std::ranges::stable_sort(runs, {}, &RunOnCpu::begin);
    return runs;
}

std::vector<StateOfThread> SchedTracker::states(Nanos last) {
    std::ranges::stable_sort(states_, [](const Change& a, const Change& b) {
        return std::tie(a.tid, a.time) < std::tie(b.tid, b.time);
    });
    std::vector<StateOfThread> states;
    const Change* open = nullptr;
    const auto close = [&](Nanos end) {
        if (open && end > open->time)
            states.push_back({open->tid, open->time, end, open->state, open->source});
        open = nullptr;
    };
    for (const Change& change : states_) {
        if (open && open->tid != change.tid) close(last);
        const bool is_waiting =
            open && (open->state == TaskState::running || open->state == TaskState::runnable);
        if (change.is_wakeup && is_waiting) continue;  // the second of two wakeup events
        if (open && open->state == change.state && change.state != TaskState::running) continue;
        close(change.time);
        open = &change;
    }
    close(last);
    std::ranges::stable_sort(states, {}, &StateOfThread::begin);
    return states;
}

}  // namespace lanescope
