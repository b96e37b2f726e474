// Checks of what `lanescope record` needs; part of check_machine().
#pragma once

#include <vector>

#include "core/capture/machine/machine_checks.h"

namespace lanescope {

std::vector<MachineCheck> check_recording(const RecordingFacts& recording,
                                          const SamplingFacts& sampling);

}  // namespace lanescope
