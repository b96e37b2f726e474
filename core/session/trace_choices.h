// Lists the traces of a folder or archive for the user to choose from.
#pragma once

#include <string>
#include <vector>

#include "core/ingest/trace_list.h"

namespace lanescope {

// Reads the start of each file in the folder or archive. Empty: any other path, or nothing can be
// read.
std::vector<ListedTrace> trace_choices(const std::string& path);

}  // namespace lanescope
