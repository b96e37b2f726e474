// What is wrong with arguments that models look at: counted, so that nobody takes what they say for
// less work than there was.
#pragma once

#include <vector>

#include "core/analysis/context.h"

namespace lanescope {

// "misfit_shapes", "unreadable_shapes", "work_beyond_64_bits": how many distinct sets of arguments
// there are of each, with the first as an example. Works out the models: not for a frame.
std::vector<Warning> model_warnings(const TraceContext& context);

}  // namespace lanescope
