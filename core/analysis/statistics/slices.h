// Slices by name: a table that is available for any trace, whatever wrote it.
#pragma once

#include "core/analysis/context.h"
#include "core/table/query.h"
#include "core/table/table.h"

namespace lanescope {

extern const TableOf<struct SliceTableRow> kSlicesTable;

Table slices_table(const TraceContext& context, const TableQuery& query);

}  // namespace lanescope
