// What the system tells of a process (/proc).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

// A variable in the environment that it was started with; nothing when it has none of that name, or
// it may not be read.
std::optional<std::string> variable_of_process(int32_t pid, std::string_view name);
// It has a file mapped whose name ends so: a library.
bool has_mapped(int32_t pid, std::string_view file_name);

std::vector<int32_t> all_processes();
// Those that run with KINETO_USE_DAEMON and may be looked into; by pid.
std::vector<int32_t> attachable_processes();

// The whole of a small file that the kernel makes; empty when it cannot be read.
std::string text_of_system_file(const std::string& path);

}  // namespace lanescope
