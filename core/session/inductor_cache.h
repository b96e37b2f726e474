// Reads Inductor's cache of compiled graphs: the folder that TORCHINDUCTOR_CACHE_DIR names, by
// default /tmp/torchinductor_USER. Its pickles are searched as bytes and never loaded.
#pragma once

#include <string>

#include "core/compile/compiled_code.h"

namespace lanescope {

// Whether a folder contains "fxgraph".
bool holds_inductor_cache(const std::string& folder);

// Adds the graphs of the cache that `code` does not know by their key, with the calls in their
// generated code. Returns whether there were any.
bool add_inductor_cache(const std::string& folder, CompiledCode& code);

}  // namespace lanescope
