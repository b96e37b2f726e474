#include "core/capture/process/process_facts.h"

#include <fmt/format.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

#include "core/base/rest_of_stream.h"

namespace lanescope {

namespace {

namespace fs = std::filesystem;

std::string place_of(int32_t pid, std::string_view what) {
    return fmt::format("/proc/{}/{}", pid, what);
}

std::string name_of_user(uid_t uid) {
    passwd entry{};
    passwd* found = nullptr;
    std::array<char, 4096> texts{};
    getpwuid_r(uid, &entry, texts.data(), texts.size(), &found);
    return found ? found->pw_name : fmt::format("{}", uid);
}

// The value of NAME in a list of zero-terminated texts.
std::optional<std::string> value_of(std::string_view environment, std::string_view name) {
    while (!environment.empty()) {
        const std::string_view entry = environment.substr(0, environment.find('\0'));
        if (entry.starts_with(name) && entry.substr(name.size()).starts_with('='))
            return std::string(entry.substr(name.size() + 1));
        environment.remove_prefix(std::min(entry.size() + 1, environment.size()));
    }
    return {};
}

}  // namespace

std::string text_of_system_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return rest_of(file).value_or("");
}

bool is_alive(int32_t pid) {
    // An ended process exists until its parent waits for it.
    const std::string status = text_of_system_file(place_of(pid, "stat"));
    const std::size_t name_end = status.rfind(')');
    return name_end != std::string::npos && name_end + 2 < status.size() &&
           status[name_end + 2] != 'Z' && status[name_end + 2] != 'X';
}

std::optional<ProcessFacts> facts_of_process(int32_t pid) {
    struct stat facts {};
    if (stat(place_of(pid, "").c_str(), &facts) != 0) return {};
    ProcessFacts process;
    process.user = name_of_user(facts.st_uid);
    process.command = text_of_system_file(place_of(pid, "cmdline"));
    while (!process.command.empty() && process.command.back() == '\0') process.command.pop_back();
    std::ranges::replace(process.command, '\0', ' ');
    const std::string environment = text_of_system_file(place_of(pid, "environ"));
    process.rank = value_of(environment, "RANK").value_or("");
    process.trace_folder = value_of(environment, "KINETO_ONDEMAND_TRACE_DIR").value_or("");
    return process;
}

std::string file_of_process(int32_t pid, const std::string& file) {
    std::error_code problem;
    const fs::path theirs = fs::read_symlink(place_of(pid, "ns/mnt"), problem);
    if (problem || theirs == fs::read_symlink("/proc/self/ns/mnt", problem)) return file;
    return place_of(pid, "root") + file;
}

std::optional<std::string> variable_of_process(int32_t pid, std::string_view name) {
    return value_of(text_of_system_file(place_of(pid, "environ")), name);
}

bool has_mapped(int32_t pid, std::string_view file_name) {
    std::ifstream maps(place_of(pid, "maps"));
    for (std::string line; std::getline(maps, line);) {
        if (line.ends_with(file_name)) return true;
    }
    return false;
}

// The 28th word of its state. The second one is the name in parentheses, which may contain spaces.
uint64_t stack_of_process(int32_t pid) {
    constexpr int words_after_name = 26;
    const std::string text = text_of_system_file(place_of(pid, "stat"));
    const std::size_t name_end = text.rfind(')');
    if (name_end == std::string::npos) return 0;
    std::size_t at = name_end + 1;
    for (int i = 1; i < words_after_name && at != std::string::npos; ++i)
        at = text.find(' ', at + 1);
    if (at == std::string::npos) return 0;
    uint64_t stack = 0;
    std::from_chars(text.data() + at + 1, text.data() + text.size(), stack);
    return stack;
}

std::vector<int32_t> all_processes() {
    std::vector<int32_t> pids;
    std::error_code problem;
    for (fs::directory_iterator at("/proc", problem), end; !problem && at != end;
         at.increment(problem)) {
        const std::string name = at->path().filename().string();
        int32_t pid = 0;
        const auto read = std::from_chars(name.data(), name.data() + name.size(), pid);
        if (read.ec == std::errc()) pids.push_back(pid);
    }
    std::ranges::sort(pids);
    return pids;
}

std::vector<int32_t> attachable_processes() {
    std::vector<int32_t> pids = all_processes();
    std::erase_if(pids, [](int32_t pid) {
        return pid == getpid() || !is_alive(pid) || !variable_of_process(pid, "KINETO_USE_DAEMON");
    });
    return pids;
}

}  // namespace lanescope
