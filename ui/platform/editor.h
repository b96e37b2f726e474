// Opens a line of a text file in the user's editor.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace lanescope {

// The program and its arguments for a line. `visual`: the value of $VISUAL, a program and perhaps
// arguments, separated by spaces; empty, or an editor that needs a terminal: "code" is used.
std::vector<std::string> editor_words(std::string_view visual, const std::string& file,
                                      int64_t line);

// Starts the editor, by no shell, and does not wait for it; returns the program's name. Errors: the
// path is not absolute, there is no such file on this machine, or no editor can be started.
Result<std::string> open_in_editor(const std::string& file, int64_t line);

}  // namespace lanescope
