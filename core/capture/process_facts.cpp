#include "core/capture/process_facts.h"

#include <fmt/format.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

namespace lanescope {

namespace {

namespace fs = std::filesystem;

std::string place_of(int32_t pid, std::string_view what) {
    return fmt::format("/proc/{}/{}", pid, what);
}

std::string read_all(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::string name_of_user(uid_t uid) {
    passwd entry{};
    passwd* found = nullptr;
    std::array<char, 4096> texts{};
    getpwuid_r(uid, &entry, texts.data(), texts.size(), &found);
    return found ? found->pw_name : fmt::format("{}", uid);
}

// The value of NAME in texts that each end with a zero.
std::string value_of(std::string_view environment, std::string_view name) {
    while (!environment.empty()) {
        const std::string_view entry = environment.substr(0, environment.find('\0'));
        if (entry.starts_with(name) && entry.substr(name.size()).starts_with('='))
            return std::string(entry.substr(name.size() + 1));
        environment.remove_prefix(std::min(entry.size() + 1, environment.size()));
    }
    return "";
}

}  // namespace

bool is_alive(int32_t pid) {
    // A process that has ended is there until its parent has asked for it.
    const std::string status = read_all(place_of(pid, "stat"));
    const std::size_t name_end = status.rfind(')');
    return name_end != std::string::npos && name_end + 2 < status.size() &&
           status[name_end + 2] != 'Z' && status[name_end + 2] != 'X';
}

std::optional<ProcessFacts> facts_of_process(int32_t pid) {
    struct stat facts {};
    if (stat(place_of(pid, "").c_str(), &facts) != 0) return {};
    ProcessFacts process;
    process.user = name_of_user(facts.st_uid);
    process.command = read_all(place_of(pid, "cmdline"));
    while (!process.command.empty() && process.command.back() == '\0') process.command.pop_back();
    std::ranges::replace(process.command, '\0', ' ');
    const std::string environment = read_all(place_of(pid, "environ"));
    process.rank = value_of(environment, "RANK");
    process.trace_folder = value_of(environment, "KINETO_ONDEMAND_TRACE_DIR");
    return process;
}

std::string file_of_process(int32_t pid, const std::string& file) {
    std::error_code problem;
    const fs::path theirs = fs::read_symlink(place_of(pid, "ns/mnt"), problem);
    if (problem || theirs == fs::read_symlink("/proc/self/ns/mnt", problem)) return file;
    return place_of(pid, "root") + file;
}

}  // namespace lanescope
