// Writes CUPTI's activity records to the spool.
#pragma once

#include <cstdint>

#include "app/inject/cupti_library.h"
#include "core/capture/spool/spool_writer.h"

namespace lanescope {

// On CUPTI's clock, in nanoseconds. All zero: nothing is recorded.
struct RecordedTime {
    uint64_t from, until;
};
inline constexpr uint32_t kTimesKept = 4096;  // more than begin before their records arrive
inline constexpr uint64_t kAlways = UINT64_MAX;

// The state of CUDA recording in this process. In memory that is zero in a forked child.
struct CudaState {
    uint32_t is_begun;  // 1: CUPTI is ours
    uint32_t is_tried;
    uint32_t lock;         // protects `events` and all members below it
    uint32_t is_ending;    // the flusher waits for it
    uint32_t has_ended;    // the end of the program waits for it
    uint32_t is_captured;  // between the program's cudaProfilerStart and cudaProfilerStop
    // When the recording was not paused: activities that begin outside of these times are left out.
    // Records arrive late, so the last few times are kept; each one is `times[i % kTimesKept]`.
    RecordedTime times[kTimesKept];
    uint32_t last_time;
    uint32_t time_count;     // beside the first one
    uint64_t delivered;      // total number of records
    uint64_t without_times;  // records without times that are not yet reported
    SpoolStream events;
};

// Takes one record from a buffer that CUPTI returned; the lock must be held.
void take_cupti_record(CudaState& cuda, const Cupti& cupti, const void* record);

// Records that CUPTI or this library lost `count` records.
void write_dropped(uint64_t count, const char* lost_by);

}  // namespace lanescope
