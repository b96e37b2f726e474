// Files that panels save: in the program's current folder, under an unused name.
#pragma once

#include <string>
#include <string_view>

namespace lanescope {

// The absolute path of the first unused name of "kernels.csv", "kernels-2.csv", …
std::string free_path(std::string_view name, std::string_view extension);

// Writes the file; returns the message for the user, such as "Table saved as PATH".
std::string save_text(std::string_view what, std::string_view name, std::string_view extension,
                      const std::string& text);

}  // namespace lanescope
