// Counts invalid arguments of modelled operators, so that nobody mistakes them for less work.
#pragma once

#include <vector>

#include "core/analysis/context.h"
#include "core/table/query.h"
#include "core/table/table.h"

namespace lanescope {

// "misfit_shapes", "unreadable_shapes", "misfit_strides", "work_beyond_64_bits": the number of
// distinct argument sets of each, with the first as an example. Computes the models: too slow for a
// frame. A first input without shape and type counts as not recorded, not as a misfit.
std::vector<Warning> model_warnings(const TraceContext& context);

extern const TableOf<struct Warning> kModelsByWarningTable;
// The same as a table; not limited by a range.
Table models_by_warning_table(const TraceContext& context, const TableQuery& query);

}  // namespace lanescope
