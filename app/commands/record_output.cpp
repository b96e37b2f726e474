#include "app/commands/record_output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "core/export/words/terminal_text.h"

namespace lanescope {

void print_losses(const SpoolRecording& recording, const CpuSampler* sampler) {
    for (const auto& [text, count] : recording.warnings())
        fmt::print(stderr, "lanescope: {}{}\n", printable(text),
                   count == 1 ? "" : fmt::format(" (in {} processes)", count));
    if (recording.dropped() > 0)
        fmt::print(stderr, "lanescope: {} records were lost because space ran out\n",
                   recording.dropped());
    if (sampler && sampler->lost() > 0)
        fmt::print(stderr,
                   "lanescope: {} sampling records of CPU stacks were lost; {} samples were "
                   "recorded\n",
                   sampler->lost(), sampler->samples());
}

void print_size(const SpoolRecording& recording, uint32_t processes) {
    if (isatty(STDERR_FILENO))
        fmt::print(stderr, "lanescope: {}: {} process{}, {:.1f} MiB\n", recording.path(), processes,
                   processes == 1 ? "" : "es",
                   static_cast<double>(recording.bytes()) / (1024.0 * 1024.0));
}

}  // namespace lanescope
