// The options of `lanescope record` that sample stacks.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "app/commands/record_attached.h"
#include "core/capture/sampling/cpu_sampler.h"

namespace lanescope {

struct RecordSampling {
    // The values of the options as they were typed.
    uint32_t rate = 0;
    std::string off_cpu;
    uint32_t pid = 0;
    // read_sampling_options() sets these from the values above.
    std::optional<SamplerOptions> sampler;   // empty: stacks are not sampled
    std::optional<AttachedProcess> process;  // a running process, instead of a command
};

// --sample, --off-cpu and --pid.
void add_sampling_options(CLI::App& command, RecordSampling& sampling);
// After parsing. Throws CLI::ValidationError, as checks of options do.
void read_sampling_options(const CLI::App& command, RecordSampling& sampling);

}  // namespace lanescope
