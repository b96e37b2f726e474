// Roofline: operations a byte and a second of each operator, beside what the device could do.
#pragma once

#include "core/analysis/tables.h"

namespace lanescope {

extern const TableSpec kRooflineTable, kRooflineByRoofTable;

// A row for each operator with one set of arguments, the longest first.
Table roofline_table(const TraceContext& context, const TableQuery& query);
// A row for each roof: the peaks of the types that were used, and the memory's slope.
Table roofline_by_roof_table(const TraceContext& context, const TableQuery& query);

}  // namespace lanescope
