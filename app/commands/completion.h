// Completion of the command line, for bash, zsh and fish.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace lanescope {

// The words that can replace the last one; ":files" means that names of files can, too.
std::vector<std::string> completions(const CLI::App& app, const std::vector<std::string>& words);

}  // namespace lanescope
