// The code and threads of a process that is already running, from /proc.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/capture/sampling/perf_records.h"

namespace lanescope {

// The executable mappings in the text of /proc/PID/maps, as records of mappings with time 0 and
// without build ids. Lines that cannot be parsed are ignored.
std::vector<PerfRecord> parse_maps(std::string_view text, uint32_t pid);
// Empty if the process does not exist or belongs to another user.
std::vector<PerfRecord> code_of_process(uint32_t pid);

// A thread of a running process.
struct RunningThread {
    uint32_t pid = 0, tid = 0;
    std::string name;
    bool is_running = false;  // on a processor, or ready to run
};
// All threads of the process and its descendants; empty if there is no such process.
std::vector<RunningThread> running_threads(uint32_t pid);

}  // namespace lanescope
