// Hotspots: kernels by the time that they take beyond their floor.
#pragma once

#include "core/analysis/context.h"
#include "core/table/query.h"
#include "core/table/table.h"

namespace lanescope {

extern const TableOf<struct HotspotTableRow> kHotspotsTable;

// Kernels, copies and sets by name and device, most lost time first; those without a floor follow,
// longest first. If less than half of all time has a floor, the longest come first.
Table hotspots_table(const TraceContext& context, const TableQuery& query);

}  // namespace lanescope
