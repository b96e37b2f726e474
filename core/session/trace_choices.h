// The traces of a folder or an archive, for the user to choose from.
#pragma once

#include <string>
#include <vector>

#include "core/ingest/trace_list.h"

namespace lanescope {

// Empty for any other file, and if none can be read. Reads the beginning of each file in it.
std::vector<ListedTrace> trace_choices(const std::string& path);

}  // namespace lanescope
