// Exact facts of a file, as one JSON object for scripts and as a page for people.
#pragma once

#include <string>

#include "core/analysis/facts.h"
#include "core/export/text_grid.h"
#include "core/trace/trace.h"

namespace lanescope {

// Keys only ever get added. Times in ns, sizes in bytes; null where a value is not known.
std::string facts_as_json(const Trace& trace, const LoadCost& cost);

std::string facts_as_text(const Trace& trace, const LoadCost& cost, const TextStyle& style = {});

}  // namespace lanescope
