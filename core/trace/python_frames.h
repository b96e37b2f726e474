// Python frames as PyTorch's profiler and viztracer name them: "path(line): function".
#pragma once

#include <string_view>

namespace lanescope {

// Whether the frame belongs to the user's program: not to the standard library, an installed
// package, generated code or a built-in function. PyTorch's profiler cuts the folder of packages
// from paths; relative paths are therefore judged by the name of their top-level module, and those
// of packages that kOtherModules does not list count as the user's.
bool is_own_python_frame(std::string_view name);

}  // namespace lanescope
