// The version, the commit and the optional parts of this build.
#pragma once

#include <string>

namespace lanescope {

// Version and commit, what was built in and what was left out, and the compiler.
std::string version_text();

}  // namespace lanescope
