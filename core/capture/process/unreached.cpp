#include "core/capture/process/unreached.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>

#include "core/base/rest_of_stream.h"
#include "core/capture/process/process_facts.h"

namespace lanescope {

namespace {

constexpr uint32_t kLooks = 2;
// A process that has the variables is checked less often after some time.
constexpr uint32_t kOften = 20;
constexpr uint32_t kSeldom = 10;

// The environment with a zero before each variable; empty if it cannot be read.
std::optional<std::string> environment_of(uint32_t pid) {
    std::ifstream file(fmt::format("/proc/{}/environ", pid), std::ios::binary);
    const std::optional<std::string> text = file ? rest_of(file) : std::nullopt;
    if (!text) return std::nullopt;
    return std::string(1, '\0') + *text;
}

// Empty if the process has ended.
std::string program_of(uint32_t pid) {
    std::error_code failed;
    return std::filesystem::read_symlink(fmt::format("/proc/{}/exe", pid), failed).string();
}

std::string name_of_process(uint32_t pid) {
    std::string name = text_of_system_file(fmt::format("/proc/{}/comm", pid));
    while (!name.empty() && name.back() == '\n') name.pop_back();
    return name;
}

}  // namespace

void UnreachedProcesses::look(std::span<const uint32_t> pids, Nanos now) {
    for (const uint32_t pid : pids) {
        Seen& seen = seen_[pid];
        const bool is_due = seen.reached < kOften || ++seen.looks % kSeldom == 0;
        if (is_due) look_at(pid, now, seen);
    }
}

void UnreachedProcesses::look_at(uint32_t pid, Nanos now, Seen& seen) {
    constexpr std::string_view variable("\0LANESCOPE_SPOOL=", 17);
    const std::optional<std::string> environment = environment_of(pid);
    const std::string program = program_of(pid);
    if (!environment || program.empty()) return;
    if (environment->find(variable) != std::string::npos) {
        ++seen.reached;
        seen.unreached = 0;
        seen.reached_program = program;
    } else if (program != seen.reached_program) {
        if (seen.unreached++ == 0) seen.first = now;
        seen.last = now;
        seen.name = name_of_process(pid);
    }
}

std::vector<UnreachedProcess> UnreachedProcesses::found(
    Nanos at_least, const std::function<bool(uint32_t pid)>& wrote) const {
    std::vector<UnreachedProcess> processes;
    for (const auto& [pid, seen] : seen_)
        if (seen.unreached >= kLooks && seen.last - seen.first >= at_least && !wrote(pid))
            processes.push_back({pid, seen.name});
    return processes;
}

}  // namespace lanescope
