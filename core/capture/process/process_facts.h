// Facts that the system reports on a process (/proc).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope {

struct ProcessFacts {
    std::string user;     // name of the user, or the number if the user has no name
    std::string command;  // including arguments, separated by spaces
    // From its environment; empty if it is not set or not readable.
    std::string rank;
    std::string trace_folder;  // a folder in which the process may write requested traces
};

// Empty if there is no such process.
std::optional<ProcessFacts> facts_of_process(int32_t pid);
bool is_alive(int32_t pid);

// Converts a process's name of a file to a name that this process can open; the two differ only if
// the processes see different file systems.
std::string file_of_process(int32_t pid, const std::string& file);

// A variable of the environment that the process was started with; empty if it is not set or not
// readable.
std::optional<std::string> variable_of_process(int32_t pid, std::string_view name);
// Whether the process has mapped a file whose name ends like this: a library.
bool has_mapped(int32_t pid, std::string_view file_name);

// Where the stack of the process begins: at random, so that it differs once the process executes
// another program. 0: not known.
uint64_t stack_of_process(int32_t pid);

std::vector<int32_t> all_processes();
// Accessible processes that run with KINETO_USE_DAEMON; sorted by pid.
std::vector<int32_t> attachable_processes();

// The contents of a small file of the kernel; empty if it cannot be read.
std::string text_of_system_file(const std::string& path);

}  // namespace lanescope
