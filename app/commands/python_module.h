// Commands that are implemented by a module of the Python package.
#pragma once

#include <string>
#include <vector>

namespace lanescope {

// Replaces the process by Python, which runs the module lanescope.NAME ("fleet.history") with these
// words; signals and the exit status are therefore Python's own. The environment variable
// LANESCOPE_PYTHON selects the interpreter; the default is python3. Returns an exit status only if
// Python cannot be started.
int run_python_module(const std::string& name, const std::vector<std::string>& words);

}  // namespace lanescope
