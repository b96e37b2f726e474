// Completion of the command line, for bash, zsh and fish.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace lanescope {

// What may stand in place of the last word; ":files" stands for the names of files.
std::vector<std::string> completions(const CLI::App& app, const std::vector<std::string>& words);

}  // namespace lanescope
