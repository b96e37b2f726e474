// Writes CUPTI's activity records to the spool.
#pragma once

#include <cstdint>

#include "app/inject/cupti_library.h"
#include "core/capture/spool_writer.h"

namespace lanescope {

// What is recorded of CUDA in this process. Lies in memory that is zeros in a child.
struct CudaState {
    uint32_t is_begun;  // 1: CUPTI is ours
    uint32_t is_tried;
    uint32_t lock;       // of `events` and what follows
    uint32_t is_ending;  // the flusher waits on it
    uint32_t has_ended;  // what the program's end waits on
    // On CUPTI's clock, in nanoseconds: what begins before or after is left out.
    uint64_t from, until;
    uint64_t delivered;      // records, ever
    uint64_t without_times;  // of these, not yet told
    SpoolStream events;
};

// Takes one record of a buffer that CUPTI gave back, with the lock held.
void take_cupti_record(CudaState& cuda, const Cupti& cupti, const void* record);

// Says that CUPTI, or we, lost so many records.
void write_dropped(uint64_t count, const char* by_whom);

}  // namespace lanescope
