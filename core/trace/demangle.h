// Names of C++ functions as people write them.
#pragma once

#include <string>
#include <string_view>

namespace lanescope {

// The name of a function from its symbol ("_Z…"), also with the suffixes that compilers and HIP's
// loader add; any other text as it is. The type that LLVM mangles as DF16b is "__bf16".
std::string demangled(std::string_view symbol);

}  // namespace lanescope
