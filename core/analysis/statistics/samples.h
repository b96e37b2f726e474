// Samples: in which functions threads were found, from sampled stacks.
#pragma once

#include "core/analysis/context.h"
#include "core/table/query.h"
#include "core/table/table.h"

namespace lanescope {

extern const TableOf<struct SampleTableRow> kSamplesTable;

// Most own samples first. A slice partly in the range contributes samples in proportion to its time
// in the range.
Table samples_table(const TraceContext& context, const TableQuery& query);

}  // namespace lanescope
