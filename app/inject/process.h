// What the injected library keeps in the program that is recorded: its way into the spool file,
// for the process and for each thread.
//
// Everything that must not outlive a fork lies in memory that the kernel hands to the child as
// zeros, so a child begins anew at its first event whichever way it was made.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/capture/spool_writer.h"

namespace lanescope {

inline constexpr uint32_t kDomainSlots = 64;

// How deep a thread is in a domain. Of the innermost 64 ranges, bit i says whether the i-th was
// left out (paused, no room): then its end must be left out too.
struct alignas(32) RangeDepth {
    uint64_t left_out;
    uint32_t depth;
    // The id of the domain's name in the block of this epoch; 0 and 0 is the default domain's.
    uint32_t text;
    uint32_t epoch;
};

struct ThreadState {
    SpoolStream events;
    uint32_t is_writing;  // a signal may come in between
    RangeDepth depths[kDomainSlots];
};

// NOLINTBEGIN(bugprone-dynamic-static-initializers): both are zeros before anything runs.
extern SpoolFile spool;
extern __thread ThreadState* this_thread __attribute__((tls_model("initial-exec")));
// NOLINTEND(bugprone-dynamic-static-initializers)

// Finds the spool that the recorder made. False: nothing is to be recorded.
bool attach_process();

// The slow half of thread_state().
ThreadState* begin_thread();

// Null when nothing can be recorded.
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

// Makes `stream` one of events that are the process's, and of none of its threads.
void begin_process_events(SpoolStream& stream);

// The stream of facts is one for the process: taken, then given back.
SpoolStream* take_facts();
void give_back_facts();

// Held while the list of domains changes; free in a child, whoever held it in its parent.
void lock_names();
void unlock_names();

// Whole pages that are zeros at first, and again in a child; null when there are none.
void* map_wiped(std::size_t bytes);
// Memory that lives as long as the process, also in its children; null when there is none.
void* keep_memory(uint32_t bytes);
const char* keep_text(const char* text);

}  // namespace lanescope
