// Options that take a duration.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "core/analysis/structure/time_range.h"
#include "core/base/nanos.h"

namespace lanescope {

// A duration above zero, such as "500ms"; otherwise a usage error.
inline void add_time_option(CLI::App& command, const char* name, Nanos& value, const char* about) {
    command
        .add_option_function<std::string>(
            name, [&value](const std::string& text) { value = parse_duration(text).value_or(0); },
            about)
        ->type_name("TIME")
        ->check([](const std::string& text) {
            const auto parsed = parse_duration(text);
            return parsed && *parsed > 0 ? std::string()
                                         : text + " is not a duration such as 500ms or 2s";
        });
}

}  // namespace lanescope
