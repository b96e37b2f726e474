// Reads Inductor's cache of compiled graphs: the folder in TORCHINDUCTOR_CACHE_DIR, by default
// /tmp/torchinductor_USER. Searches the bytes of its pickles, and never loads them.
#pragma once

#include <string>

#include "core/compile/compiled_code.h"

namespace lanescope {

// Whether a folder contains "fxgraph".
bool holds_inductor_cache(const std::string& folder);

// Adds the cached graphs whose keys `code` does not contain, with the calls in their generated
// code. Returns whether any were added.
bool add_inductor_cache(const std::string& folder, CompiledCode& code);

}  // namespace lanescope
