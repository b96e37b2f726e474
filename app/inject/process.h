// The state of the injected library in the recorded program: its access to the spool file, for the
// process and for each thread.
//
// Everything that must not survive a fork is in memory that the kernel clears in the child, so a
// child starts from scratch at its first event, however it was made.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/capture/spool/spool_writer.h"

namespace lanescope {

inline constexpr uint32_t kDomainSlots = 64;

// A thread's depth in a domain. For the innermost 64 ranges, bit i says whether the i-th was left
// out (paused, no space): then its end must be left out too.
struct alignas(32) RangeDepth {
    uint64_t left_out;
    uint32_t depth;
    // The id of the domain's name in the block of this epoch; 0 and 0 is the default domain.
    uint32_t text;
    uint32_t epoch;
};

struct ThreadState {
    SpoolStream events;
    uint32_t is_writing;  // a signal handler may run in between
    RangeDepth depths[kDomainSlots];
};

// NOLINTBEGIN(bugprone-dynamic-static-initializers): both are zero before any code runs.
extern SpoolFile spool;
extern __thread ThreadState* this_thread __attribute__((tls_model("initial-exec")));
// NOLINTEND(bugprone-dynamic-static-initializers)

// Opens the recorder's spool. False: nothing is to be recorded.
bool attach_process();

// The slow path of thread_state().
ThreadState* begin_thread();

// Null if nothing can be recorded.
inline ThreadState* thread_state() {
    ThreadState* thread = this_thread;
    if (thread && thread->events.tid != 0) [[likely]]
        return thread;
    return begin_thread();
}

inline bool is_recording() {
    return spool_load(spool.header->control) == kSpoolRecording;
}

// Unique in this process.
uint64_t next_range_id();

// Makes `stream` a stream of events that belong to the process and to none of its threads.
void begin_process_events(SpoolStream& stream);

// A process has a single stream of facts: take it, write to it, and give it back.
SpoolStream* take_facts();
void give_back_facts();

// Locked while the list of domains changes; unlocked in a child, whatever its state in the parent.
void lock_names();
void unlock_names();

// Whole pages that are zero initially, and zero again in a child; null on failure.
void* map_wiped(std::size_t bytes);
// Memory that lives as long as the process, also in its children; null on failure.
void* keep_memory(uint32_t bytes);
const char* keep_text(const char* text);

}  // namespace lanescope
