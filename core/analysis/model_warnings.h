// What is wrong with arguments that models look at: counted, so that nobody takes what they say for
// less work than there was.
#pragma once

#include <vector>

#include "core/analysis/tables.h"

namespace lanescope {

// "misfit_shapes", "unreadable_shapes", "misfit_strides", "work_beyond_64_bits": how many distinct
// sets of arguments there are of each, with the first as an example. Works out the models: not for
// a frame. A first input of no shape and no type is not recorded, and no misfit.
std::vector<Warning> model_warnings(const TraceContext& context);

extern const TableSpec kModelsByWarningTable;
// The same as a table; a range does not limit it.
Table models_by_warning_table(const TraceContext& context, const TableQuery& query);

}  // namespace lanescope
