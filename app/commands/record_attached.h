// lanescope record --pid: records a process that is already running, from outside.
#pragma once

#include <sys/types.h>

#include <string>

#include "app/commands/record_child.h"
#include "app/commands/record_run.h"
#include "core/base/nanos.h"
#include "core/capture/spool/spool_recording.h"

namespace lanescope {

// The name and the command line of a running process.
struct AttachedProcess {
    pid_t pid = 0;
    std::string name, command;

    // Errors: `usage`, there is no such process.
    static Result<AttachedProcess> find(uint32_t pid);
};

// Records until the process ends, the time is over, a signal ends the recorder, or a reader of the
// file stops it. The process continues in any case. `duration`: 0: no limit. Starts the sampler of
// stacks, which must exist, and stops all.
void record_attached(SpoolRecording& recording, RunSamplers samplers,
                     const AttachedProcess& process, Nanos duration, const WaitedSignals& signals);

}  // namespace lanescope
