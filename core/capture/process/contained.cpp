#include "core/capture/process/contained.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <exception>

namespace lanescope {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::size_t kMaxOutput = std::size_t{1} << 20;

void write_all(int handle, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = write(handle, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
}

void silence() {
    const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nowhere, standard);
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
}

// True if everything was read, false if the time limit came first.
bool read_until(int handle, Clock::time_point end, std::string& output) {
    std::array<char, 4096> part{};
    while (true) {
        const auto left = std::chrono::ceil<milliseconds>(end - Clock::now()).count();
        if (left <= 0) return false;
        pollfd waiting{handle, POLLIN, 0};
        const int ready = poll(&waiting, 1, static_cast<int>(left));
        if (ready < 0 && errno == EINTR) continue;
        if (ready <= 0) return false;
        const ssize_t size = read(handle, part.data(), part.size());
        if (size < 0 && errno == EINTR) continue;
        if (size <= 0) return true;
        if (output.size() < kMaxOutput) output.append(part.data(), static_cast<std::size_t>(size));
    }
}

// The child has closed its end of the pipe, possibly long before it exits.
bool wait_until(pid_t child, Clock::time_point end, int& status) {
    while (waitpid(child, &status, WNOHANG) == 0) {
        if (Clock::now() >= end) return false;
        poll(nullptr, 0, 2);
    }
    return true;
}

// Runs `child` in a new process with the write end of a pipe; it never returns.
Contained contain(const std::function<void(int)>& child, milliseconds limit) {
    Contained result;
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return result;
    const pid_t pid = fork();
    if (pid == 0) {
        setpgid(0, 0);
        close(ends[0]);
        silence();
        child(ends[1]);
        _exit(1);
    }
    close(ends[1]);
    if (pid > 0) {
        setpgid(pid, pid);  // in both processes, because either may run first
        const auto end = Clock::now() + limit;
        int status = 0;
        const bool ended = read_until(ends[0], end, result.output) && wait_until(pid, end, status);
        kill(-pid, SIGKILL);
        if (!ended) {
            waitpid(pid, &status, 0);
            result.end = Contained::End::took_too_long;
        } else if (WIFEXITED(status)) {
            result.end = Contained::End::exited;
            result.status = WEXITSTATUS(status);
        } else {
            result.end = Contained::End::crashed;
            result.status = WTERMSIG(status);
        }
    }
    close(ends[0]);
    return result;
}

}  // namespace

Contained run_contained(const std::function<std::string()>& work, milliseconds limit) {
    return contain(
        [&](int out) {
            try {
                write_all(out, work());
            } catch (const std::exception&) {
                _exit(1);
            }
            _exit(0);
        },
        limit);
}

Contained run_program(const std::vector<std::string>& words, milliseconds limit) {
    std::vector<char*> arguments;
    arguments.reserve(words.size() + 1);
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    return contain(
        [&](int out) {
            dup2(out, STDOUT_FILENO);
            execv(arguments[0], arguments.data());
            _exit(127);
        },
        limit);
}

}  // namespace lanescope
