// Roofline: operations per byte and per second of each operator, compared with the device's limits.
#pragma once

#include "core/analysis/context.h"
#include "core/table/query.h"
#include "core/table/table.h"

namespace lanescope {

extern const TableOf<struct RooflineTableRow> kRooflineTable;
extern const TableOf<struct RoofTableRow> kRooflineByRoofTable;

// One row for each operator with one set of arguments, longest first.
Table roofline_table(const TraceContext& context, const TableQuery& query);
// One row for each roof: the peaks of the types in use, and the memory's slope.
Table roofline_by_roof_table(const TraceContext& context, const TableQuery& query);

}  // namespace lanescope
