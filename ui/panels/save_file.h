// Names of the files that panels offer to save.
#pragma once

#include <string>
#include <string_view>

namespace lanescope {

// The absolute path of the first unused name of "kernels.csv", "kernels-2.csv", … in the program's
// current folder.
std::string free_path(std::string_view name, std::string_view extension);

}  // namespace lanescope
