// Writes the exact facts of a file: one JSON object for scripts, or a page for people.
#pragma once

#include <string>

#include "core/export/tables/text_grid.h"
#include "core/insight/summary/facts.h"
#include "core/trace/trace.h"

namespace lanescope {

// Later versions only add keys. Times in ns, sizes in bytes; unknown values are null.
std::string facts_as_json(const Trace& trace, const LoadCost& cost, const JoinFacts& join = {});

std::string facts_as_text(const Trace& trace, const LoadCost& cost, const JoinFacts& join = {},
                          const TextStyle& style = {});

}  // namespace lanescope
