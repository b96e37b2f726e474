// Messages of `lanescope record` at the end of a recording.
#pragma once

#include <cstdint>

#include "core/capture/sampling/cpu_sampler.h"
#include "core/capture/spool/spool_recording.h"

namespace lanescope {

// Prints warnings of the recording, and what was lost. `sampler` may be null.
void print_losses(const SpoolRecording& recording, const CpuSampler* sampler);
// On a terminal, prints the name and the size of the recording.
void print_size(const SpoolRecording& recording, uint32_t processes);

}  // namespace lanescope
