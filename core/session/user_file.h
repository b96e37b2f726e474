// Files that users write for this program, such as figures of devices and classes of kernels.
#pragma once

#include <optional>
#include <string>

#include "core/base/result.h"

namespace lanescope {

// The text of the file; empty if it is absent and need not exist. Errors name the file.
Result<std::optional<std::string>> read_user_file(const std::string& path, bool must_exist);

// An error in the text, with the file, the position and advice. Its code is `usage`: no trace is at
// fault, so the hint for broken traces would be wrong.
Error error_in_user_file(const std::string& path, const Error& error);

}  // namespace lanescope
