// Allocated memory: its curves, and the blocks that make them up.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/trace/trace.h"

namespace lanescope {

class TraceContext;

// What a device's allocator held at each of its events, sorted by time.
struct MemoryCurve {
    uint32_t process = 0;            // row of Trace::processes of the allocating process
    int32_t device_type = 0;         // 0: CPU, 1: GPU, as in the file
    int32_t device_id = -1;          // -1: none
    std::vector<uint32_t> rows;      // of Trace::memory_events
    std::vector<int64_t> allocated;  // the file's total, else the sum of the recorded events so far
    std::vector<int64_t> reserved;   // kNoValue: not recorded
};
std::vector<MemoryCurve> memory_curves(const Trace& trace);

struct MemoryCurves {
    std::vector<MemoryCurve> all;

    static MemoryCurves compute(const TraceContext& context);
};

// An allocation recorded in the trace.
struct MemoryBlock {
    uint32_t curve = 0;       // of memory_curves()
    uint32_t allocated = 0;   // row of Trace::memory_events
    uint32_t freed = kNoRow;  // likewise; kNoRow: not freed in the trace
    SliceRef call;            // the innermost call at that time on its thread
    SliceRef op;              // the innermost operator
    SliceRef module;          // the innermost module, if modules are recorded
};
// Sorted by time of allocation.
std::vector<MemoryBlock> memory_blocks(const Trace& trace, std::span<const MemoryCurve> curves);

struct MemoryBlocks {
    std::vector<MemoryBlock> all;  // of MemoryCurves

    static MemoryBlocks compute(const TraceContext& context);
};

}  // namespace lanescope
