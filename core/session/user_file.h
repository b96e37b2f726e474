// Files that users write for this program, for example device figures and classes of kernels.
#pragma once

#include <optional>
#include <string>

#include "core/base/result.h"

namespace lanescope {

// The text of the file; empty: the file does not exist, and need not. Errors name the file.
Result<std::optional<std::string>> read_user_file(const std::string& path, bool must_exist);

// Adds the file, position and advice to an error in the text. The code is `usage`, because the hint
// for broken traces would be wrong.
Error error_in_user_file(const std::string& path, const Error& error);

}  // namespace lanescope
