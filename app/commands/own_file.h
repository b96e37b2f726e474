// Recognises files that Lanescope wrote, which a command replaces without asking.
#pragma once

#include <string>

namespace lanescope {

// Returns whether the file bears a mark of Lanescope's writers: a picture, a recording, JSON or
// Markdown that names Lanescope as its writer, or a table with the head of one of our tables.
// Compressed files too.
bool is_own_file(const std::string& path);

}  // namespace lanescope
