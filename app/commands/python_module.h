// Commands that a module of the Python package carries out.
#pragma once

#include <string>
#include <vector>

namespace lanescope {

// Becomes Python, which runs the module lanescope.NAME with these words, so that signals and the
// exit status are its own. LANESCOPE_PYTHON names the Python (python3). Without Python or the
// package a message names both. Returns only on failure, with an exit status.
int run_python_module(const std::string& name, const std::vector<std::string>& words);

}  // namespace lanescope
