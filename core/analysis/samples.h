// Samples: in which functions threads were met, by the stacks that were sampled.
#pragma once

#include "core/analysis/context.h"
#include "core/analysis/table.h"
#include "core/analysis/tables.h"

namespace lanescope {

extern const TableSpec kSamplesTable;

// Most samples of its own first. Of slices that lie in the range in part, the part of their samples
// that their time there is of the whole.
Table samples_table(const TraceContext& context, const TableQuery& query);

}  // namespace lanescope
