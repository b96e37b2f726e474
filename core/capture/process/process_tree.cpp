#include "core/capture/process/process_tree.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

namespace lanescope {

namespace {

constexpr Nanos kFirstSecond = 1'000'000'000;
constexpr Nanos kLookEveryAtFirst = 20'000'000;
constexpr std::size_t kMaxTreeProcesses = 10'000;

// CPU time of all threads so far.
std::optional<Nanos> cpu_time_of(uint32_t pid) {
    clockid_t clock = 0;
    struct timespec time = {};
    if (clock_getcpuclockid(static_cast<pid_t>(pid), &clock) != 0 ||
        clock_gettime(clock, &time) != 0)
        return std::nullopt;
    return Nanos{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

double resident_of(uint32_t pid) {
    std::ifstream file(fmt::format("/proc/{}/statm", pid));
    double size = 0;
    double resident = 0;
    file >> size >> resident;
    return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

}  // namespace

std::vector<uint32_t> children_of(uint32_t pid) {
    std::vector<uint32_t> children;
    std::error_code failed;
    std::filesystem::directory_iterator tasks(fmt::format("/proc/{}/task", pid), failed);
    for (; !failed && tasks != std::filesystem::directory_iterator(); tasks.increment(failed)) {
        std::ifstream file(tasks->path() / "children");
        for (uint32_t child = 0; file >> child;) children.push_back(child);
    }
    return children;
}

void ProcessTree::find_processes() {
    pids_ = {root_};
    for (std::size_t i = 0; i < pids_.size() && pids_.size() < kMaxTreeProcesses; ++i) {
        const std::vector<uint32_t> children = children_of(pids_[i]);
        pids_.insert(pids_.end(), children.begin(), children.end());
    }
}

std::span<const uint32_t> ProcessTree::find(Nanos now) {
    if (first_looked_ == INT64_MIN) first_looked_ = now;
    const bool is_early = now - first_looked_ < kFirstSecond;
    if (now - looked_ >= (is_early ? std::min(kLookEveryAtFirst, look_every_) : look_every_)) {
        find_processes();
        looked_ = now;
    }
    return pids_;
}

TreeUse ProcessTree::sample(Nanos now) {
    find(now);
    TreeUse use;
    Nanos spent = 0;
    std::map<uint32_t, Nanos> cpu_time;
    for (const uint32_t pid : pids_) {
        const std::optional<Nanos> time = cpu_time_of(pid);
        if (!time) continue;
        const auto before = cpu_time_.find(pid);
        if (before != cpu_time_.end()) spent += *time - before->second;
        cpu_time[pid] = *time;
        use.resident_bytes += resident_of(pid);
        ++use.processes;
    }
    cpu_time_ = std::move(cpu_time);
    if (sampled_ != 0 && now > sampled_)
        use.cpu_percent = 100.0 * static_cast<double>(spent) / static_cast<double>(now - sampled_);
    sampled_ = now;
    return use;
}

}  // namespace lanescope
