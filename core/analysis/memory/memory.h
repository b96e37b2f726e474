// Tables of allocated memory: peaks, and what holds the memory.
#pragma once

#include <cstdint>

#include "core/analysis/context.h"
#include "core/analysis/memory/memory_blocks.h"
#include "core/table/query.h"
#include "core/table/table.h"

namespace lanescope {

extern const TableOf<struct MemoryDeviceTableRow> kMemoryTable;
extern const TableOf<struct MemoryDeviceTableRow> kMemoryByDeviceTable;
extern const TableOf<struct MemoryBlockTableRow> kMemoryByLargestTable;
extern const TableOf<struct MemoryOwnerTableRow> kMemoryByModuleTable;
extern const TableOf<struct MemoryOwnerTableRow> kMemoryByOperatorTable;
extern const TableOf<struct MemoryOwnerTableRow> kMemoryByStepTable;
extern const TableOf<struct MemoryBlockTableRow> kMemoryByUnfreedTable;

// The index of the curve's largest allocation in the range; kNoRow: the range has no point.
uint32_t peak_of(const Trace& trace, const MemoryCurve& curve, const TableQuery& query);

Table memory_table(const TraceContext& context, const TableQuery& query);
Table memory_by_device_table(const TraceContext& context, const TableQuery& query);
Table memory_by_operator_table(const TraceContext& context, const TableQuery& query);
Table memory_by_module_table(const TraceContext& context, const TableQuery& query);
Table memory_by_step_table(const TraceContext& context, const TableQuery& query);
Table memory_by_largest_table(const TraceContext& context, const TableQuery& query);
Table memory_by_unfreed_table(const TraceContext& context, const TableQuery& query);

}  // namespace lanescope
