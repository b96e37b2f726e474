// Files that panels save: in the folder that the program runs in, under a name not yet taken.
#pragma once

#include <string>
#include <string_view>

namespace lanescope {

// "kernels.csv", "kernels-2.csv", …: the first that is not there, made absolute.
std::string free_path(std::string_view name, std::string_view extension);

// Writes it; what to tell about that, as "Table saved as PATH".
std::string save_text(std::string_view what, std::string_view name, std::string_view extension,
                      const std::string& text);

}  // namespace lanescope
