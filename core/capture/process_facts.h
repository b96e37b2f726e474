// What the system tells of a process (/proc).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace lanescope {

struct ProcessFacts {
    std::string user;     // name, or number where it has none
    std::string command;  // with its arguments, separated by spaces
    // From its environment; empty where it has none, or it may not be read.
    std::string rank;
    std::string trace_folder;  // where it may write traces that are asked for
};

// Nothing when there is no such process.
std::optional<ProcessFacts> facts_of_process(int32_t pid);
bool is_alive(int32_t pid);

// A file by the name that a process has for it, as this process can open it: the same, unless they
// see different file systems.
std::string file_of_process(int32_t pid, const std::string& file);

}  // namespace lanescope
