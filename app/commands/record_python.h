// The option of `lanescope record` for Python functions.
#pragma once

#include <sys/types.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/capture/python/python_sampler.h"

namespace lanescope {

// Adds --python-rate, whose value is stored as it was typed.
void add_python_rate_option(CLI::App& command, std::string& typed);
// Throws CLI::ValidationError if the value is neither a rate nor "off".
void check_python_rate(const std::string& typed);
// Samples a second; 0: off. Empty if the option was not given.
std::optional<uint32_t> python_rate(const std::string& typed);

// Null if the rate is 0.
std::unique_ptr<PythonSampler> start_python_sampling(const SpoolFile& file, pid_t root,
                                                     uint32_t rate);

}  // namespace lanescope
