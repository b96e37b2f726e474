// Begins and pauses the recording of a running program from another process.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/result.h"
#include "core/spool/spool_format.h"

namespace lanescope {

// The recording that the process writes to: `pid` is a recorded program, one of its parents, or the
// recorder. Errors: there is no such process, it is not recorded, or it belongs to another user.
Result<std::string> recording_of_process(int32_t pid);

// `control`: kSpoolRecording or kSpoolPaused. Returns the recording's path. Errors: as above, and
// the recording has ended, or cannot be written.
Result<std::string> control_recording(int32_t pid, SpoolControl control);

}  // namespace lanescope
