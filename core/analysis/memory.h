// Memory of the allocator: curves, peaks, and who holds what.
#pragma once

#include <cstdint>
#include <vector>

#include "core/analysis/tables.h"

namespace lanescope {

extern const TableSpec kMemoryTable;
extern const TableSpec kMemoryByDeviceTable;
extern const TableSpec kMemoryByLargestTable;
extern const TableSpec kMemoryByModuleTable;
extern const TableSpec kMemoryByOperatorTable;
extern const TableSpec kMemoryByStepTable;
extern const TableSpec kMemoryByUnfreedTable;

// What a device's allocator held, at each of its events in order of time.
struct MemoryCurve {
    uint32_t process = 0;            // row of Trace::processes that allocated
    int32_t device_type = 0;         // 0: CPU, 1: GPU, as the file numbers them
    int32_t device_id = -1;          // -1: none
    std::vector<uint32_t> rows;      // of Trace::memory_events
    std::vector<int64_t> allocated;  // the file's total, else the sum of what it recorded so far
    std::vector<int64_t> reserved;   // kNoValue: not recorded
};
std::vector<MemoryCurve> memory_curves(const Trace& trace);

// An allocation that the trace has.
struct MemoryBlock {
    uint32_t curve = 0;       // of memory_curves()
    uint32_t allocated = 0;   // row of Trace::memory_events
    uint32_t freed = kNoRow;  // likewise; kNoRow: not freed in the trace
    SliceRef call;            // the innermost call at that time on its thread
    SliceRef op;              // the innermost operator
    SliceRef module;          // the innermost module, where modules are recorded
};
// In order of allocation.
std::vector<MemoryBlock> memory_blocks(const Trace& trace, const std::vector<MemoryCurve>& curves);

// The place in a curve where the most was allocated, of those in the range; kNoRow: none in it.
uint32_t peak_of(const Trace& trace, const MemoryCurve& curve, const TableQuery& query);

Table memory_table(const TraceContext& context, const TableQuery& query);
Table memory_by_device_table(const TraceContext& context, const TableQuery& query);
Table memory_by_operator_table(const TraceContext& context, const TableQuery& query);
Table memory_by_module_table(const TraceContext& context, const TableQuery& query);
Table memory_by_step_table(const TraceContext& context, const TableQuery& query);
Table memory_by_largest_table(const TraceContext& context, const TableQuery& query);
Table memory_by_unfreed_table(const TraceContext& context, const TableQuery& query);

}  // namespace lanescope
