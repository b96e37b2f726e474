// The table of kernels by family.
#pragma once

#include "core/analysis/context.h"
#include "core/table/query.h"
#include "core/table/table.h"

namespace lanescope {

extern const TableOf<struct KernelFamilyTableRow> kKernelsByFamilyTable;

// One row for each family and device, the longest time first.
Table kernels_by_family_table(const TraceContext& context, const TableQuery& query);

}  // namespace lanescope
