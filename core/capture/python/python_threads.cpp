#include "core/capture/python/python_threads.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <string_view>

namespace lanescope {

namespace {

constexpr std::size_t kMaxOpenStats = 32;  // of one process
constexpr int kStateField = 3;             // numbers as in proc_pid_stat(5)
constexpr int kProcessorField = 39;

}  // namespace

std::optional<ThreadNow> thread_of_stat(std::string_view stat) {
    // "TID (NAME) STATE …"; a name may contain parentheses.
    const std::size_t begin = stat.find('(');
    const std::size_t end = stat.rfind(')');
    if (begin == std::string_view::npos || end == std::string_view::npos || end < begin ||
        end + 2 >= stat.size())
        return std::nullopt;
    ThreadNow now{std::string(stat.substr(begin + 1, end - begin - 1)), stat[end + 2] == 'R', -1};
    std::string_view rest = stat.substr(end + 2);
    for (int field = kStateField; field < kProcessorField; ++field) {
        const std::size_t space = rest.find(' ');
        if (space == std::string_view::npos) return now;
        rest.remove_prefix(space + 1);
    }
    std::from_chars(rest.data(), rest.data() + rest.size(), now.processor);
    return now;
}

ThreadWatch::~ThreadWatch() {
    for (const auto& [tid, fd] : files_) close(fd);
}

std::optional<ThreadNow> ThreadWatch::look(uint32_t tid) {
    const auto known = files_.find(tid);
    int fd = known == files_.end() ? -1 : known->second;
    if (fd < 0) {
        const std::string path = fmt::format("/proc/{}/task/{}/stat", pid_, tid);
        fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
        if (fd < 0) return std::nullopt;
    }
    std::array<char, 512> text = {};
    const ssize_t got = pread(fd, text.data(), text.size(), 0);
    const bool keeps = got > 0 && (known != files_.end() || files_.size() < kMaxOpenStats);
    if (keeps) {
        files_[tid] = fd;
    } else {
        files_.erase(tid);
        close(fd);
    }
    if (got <= 0) return std::nullopt;
    return thread_of_stat({text.data(), static_cast<std::size_t>(got)});
}

}  // namespace lanescope
