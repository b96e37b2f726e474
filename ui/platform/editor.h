// Opens a line of a text file in the user's editor.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace lanescope {

// Program and arguments that open a line. `visual`: the value of $VISUAL: a program and optional
// arguments, separated by spaces. Uses "code" if `visual` is empty or names an editor that needs a
// terminal.
std::vector<std::string> editor_words(std::string_view visual, const std::string& file,
                                      int64_t line);

// Starts the editor without a shell, and does not wait for it. Returns the program's name. Errors:
// the path is not absolute, the file does not exist on this machine, or the editor cannot be
// started.
Result<std::string> open_in_editor(const std::string& file, int64_t line);

}  // namespace lanescope
