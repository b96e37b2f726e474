#include "ui/platform/clipboard.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <vector>

extern char** environ;

namespace lanescope {

namespace {

Error refused(std::string text) {
    return {ErrorCode::io, Error::no_offset, std::move(text)};
}

// Writes all bytes; false if the reader closed.
bool write_all(int fd, std::span<const uint8_t> bytes) {
    while (!bytes.empty()) {
        const ssize_t written = write(fd, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
    return true;
}

// Runs a program with `bytes` as its standard input. Both programs stay in the background to serve
// the clipboard, so this waits only for the process that was started. -1: it could not be started.
int run_with_input(std::vector<const char*> words, std::span<const uint8_t> bytes) {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return -1;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[0], 0);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    words.push_back(nullptr);
    pid_t child = 0;
    const int failed = posix_spawnp(&child, words[0], &actions, nullptr,
                                    const_cast<char**>(words.data()),  // as its signature asks
                                    environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[0]);
    if (failed != 0) {
        close(ends[1]);
        return -1;
    }
    // A program that ends early must not end this one.
    sigset_t pipe_signal;
    sigset_t before;
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
    const bool whole = write_all(ends[1], bytes);
    const timespec now{};
    while (!whole && sigtimedwait(&pipe_signal, nullptr, &now) > 0) {
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    close(ends[1]);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return whole && WIFEXITED(status) ? WEXITSTATUS(status) : 126;
}

}  // namespace

Result<std::string> copy_picture(std::span<const uint8_t> png) {
    const char* const wayland = std::getenv("WAYLAND_DISPLAY");
    const bool on_wayland = wayland && *wayland;
    const std::vector<const char*> words =
        on_wayland
            ? std::vector<const char*>{"wl-copy", "--type", "image/png"}
            : std::vector<const char*>{"xclip", "-selection", "clipboard", "-t", "image/png", "-i"};
    const int status = run_with_input(words, png);
    // On some systems, a program that posix_spawn cannot find exits with 127.
    if (status == -1 || status == 127)
        return refused(std::string("Copying a picture needs ") + words[0] + " (package " +
                       (on_wayland ? "wl-clipboard" : "xclip") +
                       "). Install it, or save the picture with F12.");
    if (status != 0)
        return refused(std::string(words[0]) + " did not take the picture (status " +
                       std::to_string(status) + "). Save it with F12.");
    return std::string(words[0]);
}

}  // namespace lanescope
