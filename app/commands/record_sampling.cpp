#include "app/commands/record_sampling.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/analysis/structure/time_range.h"

namespace lanescope {

namespace {

constexpr const char* kUsualWait = "1ms";

}  // namespace

void add_sampling_options(CLI::App& command, RecordSampling& sampling) {
    command.add_flag(fmt::format("--sample{{{}}}", kUsualSampleRate), sampling.rate,
                     fmt::format("Sample CPU stacks {} times per second of CPU time; --sample=HZ "
                                 "sets the rate, up to {}",
                                 kUsualSampleRate, kMaxSampleRate));
    command.add_flag(fmt::format("--off-cpu{{{}}}", kUsualWait), sampling.off_cpu,
                     fmt::format("With samples, also record when threads did not run, and the "
                                 "stacks in which they waited, if it was at least {}; "
                                 "--off-cpu=TIME sets another minimum",
                                 kUsualWait));
    command
        .add_option("--pid", sampling.pid,
                    "Sample this running process and its children instead of a command's, until "
                    "it ends, --duration is over, or Ctrl+C")
        ->type_name("PID")
        ->excludes(command.get_option("--no-cuda"))
        ->excludes(command.get_option("COMMAND"));
}

void read_sampling_options(const CLI::App& command, RecordSampling& sampling) {
    // CLI11 2.4 passes 0 for a flag that is not on the command line, and checks it.
    const std::vector<CLI::Option*>& given = command.parse_order();
    const auto is_given = [&](const char* name) {
        return std::find(given.begin(), given.end(), command.get_option(name)) != given.end();
    };
    const bool attaches = is_given("--pid");
    if (!attaches && !is_given("COMMAND")) throw CLI::RequiredError("COMMAND or --pid");
    SamplerOptions sampler;
    if (is_given("--sample")) {
        sampler.rate = sampling.rate;
        if (sampler.rate == 0 || sampler.rate > kMaxSampleRate)
            throw CLI::ValidationError("--sample", fmt::format("Value {} not in range [1 - {}]",
                                                               sampler.rate, kMaxSampleRate));
    }
    if (is_given("--off-cpu")) {
        const auto shortest = parse_duration(sampling.off_cpu);
        if (!shortest || *shortest <= 0)
            throw CLI::ValidationError(
                "--off-cpu", sampling.off_cpu + " is not a duration such as 500us or 2ms");
        sampler.off_cpu = true;
        sampler.shortest_wait = *shortest;
    }
    if (attaches || sampler.off_cpu || is_given("--sample")) sampling.sampler = sampler;
    if (!attaches) return;
    const Result<AttachedProcess> found = AttachedProcess::find(sampling.pid);
    if (!found) throw CLI::ValidationError("--pid", found.error().text);
    sampling.process = *found;
}

}  // namespace lanescope
