// lanescope record --control: begins and pauses the recording of a running program.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace lanescope {

CLI::Option* add_control_option(CLI::App& command, std::string& control);

// `control`: "start" or "stop". `words`: one word, the process. Returns the exit status; throws
// CLI::ValidationError, as checks of options do.
int run_record_control(const std::string& control, const std::vector<std::string>& words);

}  // namespace lanescope
