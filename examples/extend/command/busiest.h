// lanescope busiest: the lanes that are busy for the longest time.
#pragma once

#include <CLI/CLI.hpp>

namespace lanescope {

// Adds the command to the parser; a call of it sets `status`.
void add_busiest_command(CLI::App& app, int& status);

}  // namespace lanescope
