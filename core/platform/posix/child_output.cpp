#include "core/source/child_output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <optional>
#include <thread>
#include <utility>

namespace lanescope {

namespace {

using ChildClock = std::chrono::steady_clock;

constexpr std::size_t kChildPiece = std::size_t{1} << 20;
constexpr std::size_t kSaid = 4096;
constexpr int kPollMilliseconds = 50;
// The status of a program that exits with 255, as ssh does after its own errors.
constexpr int kUnknownStatus = 255 << 8;
constexpr auto kPatience = std::chrono::seconds(1);  // from the request to end to the kill
constexpr auto kLookAgain = std::chrono::milliseconds(5);

Error child_error(const std::string& program, int code) {
    return {code == ENOENT ? ErrorCode::unsupported : ErrorCode::io, Error::no_offset,
            fmt::format("{} cannot be run: {}", program, std::strerror(code))};
}

class Descriptor {
  public:
    Descriptor() = default;
    ~Descriptor() { reset(); }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;

    void reset(int fd = -1) {
        if (fd_ >= 0) close(fd_);
        fd_ = fd;
    }
    int get() const { return fd_; }

  private:
    int fd_ = -1;
};

struct ChildPipe {
    Descriptor from, into;

    bool open() {
        int ends[2] = {-1, -1};
        if (pipe2(ends, O_CLOEXEC) != 0) return false;
        from.reset(ends[0]);
        into.reset(ends[1]);
        return fcntl(from.get(), F_SETFL, O_NONBLOCK) == 0;
    }
};

// A running program; its destructor ends it.
class Child {
  public:
    ~Child() { end(); }
    Child() = default;
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    // Returns 0 or an errno.
    int start(const std::vector<std::string>& words) {
        if (!out.open() || !said.open()) return errno;
        // A larger pipe needs fewer switches between the two programs; the default works, too.
        fcntl(out.from.get(), F_SETPIPE_SZ, static_cast<int>(kChildPiece));
        std::vector<std::string> copies = words;
        std::vector<char*> argv;
        argv.reserve(copies.size() + 1);
        for (std::string& word : copies) argv.push_back(word.data());
        argv.push_back(nullptr);
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        posix_spawn_file_actions_adddup2(&actions, out.into.get(), STDOUT_FILENO);
        posix_spawn_file_actions_adddup2(&actions, said.into.get(), STDERR_FILENO);
        // Signals that this program ignores or blocks would otherwise be so in the child.
        posix_spawnattr_t attributes;
        posix_spawnattr_init(&attributes);
        sigset_t signals;
        sigemptyset(&signals);
        posix_spawnattr_setsigmask(&attributes, &signals);
        sigaddset(&signals, SIGPIPE);
        sigaddset(&signals, SIGINT);
        sigaddset(&signals, SIGTERM);
        posix_spawnattr_setsigdefault(&attributes, &signals);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
        const int failed =
            posix_spawnp(&pid_, argv[0], &actions, &attributes, argv.data(), environ);
        posix_spawnattr_destroy(&attributes);
        posix_spawn_file_actions_destroy(&actions);
        if (failed != 0) pid_ = -1;
        out.into.reset();
        said.into.reset();
        return failed;
    }

    // The status, once the program has ended.
    std::optional<int> ended() {
        int status = 0;
        if (pid_ < 0) return std::nullopt;
        const pid_t found = waitpid(pid_, &status, WNOHANG);
        // If this process ignores SIGCHLD, the system discards the status of its children. The
        // output may be incomplete, so the child counts as failed.
        const bool unknown = found < 0 && errno == ECHILD;
        if (found != pid_ && !unknown) return std::nullopt;
        pid_ = -1;
        return unknown ? kUnknownStatus : status;
    }

    void end() {
        if (pid_ < 0) return;
        kill(pid_, SIGTERM);
        for (const auto late = ChildClock::now() + kPatience; ChildClock::now() < late;) {
            if (ended()) return;
            std::this_thread::sleep_for(kLookAgain);
        }
        kill(pid_, SIGKILL);
        while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
        }
        pid_ = -1;
    }

    ChildPipe out, said;

  private:
    pid_t pid_ = -1;
};

// Reads what a pipe has: false at its end.
template <typename Take>
Result<bool> read_pipe(int fd, std::vector<char>& buffer, const Take& take) {
    for (;;) {
        const ssize_t got = read(fd, buffer.data(), buffer.size());
        if (got == 0) return false;
        if (got > 0) {
            if (const Result<void> taken =
                    take(std::string_view(buffer.data(), static_cast<std::size_t>(got)));
                !taken)
                return taken.error();
            return true;
        }
        if (errno == EAGAIN) return true;
        if (errno != EINTR)
            return Error{ErrorCode::io, Error::no_offset,
                         fmt::format("its output cannot be read: {}", std::strerror(errno))};
    }
}

}  // namespace

Result<ChildEnd> read_child(const std::vector<std::string>& words,
                            const std::function<Result<void>(std::string_view)>& take,
                            const std::atomic<bool>* cancel) {
    Child child;
    if (const int failed = child.start(words)) return child_error(words.front(), failed);
    ChildEnd end;
    std::vector<char> buffer(kChildPiece);
    const auto note = [&](std::string_view text) {
        end.said += text;
        if (end.said.size() > kSaid) end.said.erase(0, end.said.size() - kSaid);
        return Result<void>();
    };
    bool writes = true;
    bool speaks = true;
    for (;;) {
        if (cancel && *cancel)
            return Error{ErrorCode::cancelled, Error::no_offset, words.front() + " was ended"};
        std::array<pollfd, 2> ready = {{{writes ? child.out.from.get() : -1, POLLIN, 0},
                                        {speaks ? child.said.from.get() : -1, POLLIN, 0}}};
        poll(ready.data(), ready.size(), kPollMilliseconds);
        if (speaks && ready[1].revents != 0) {
            const Result<bool> more = read_pipe(child.said.from.get(), buffer, note);
            if (!more) return more.error();
            speaks = *more;
        }
        if (writes && ready[0].revents != 0) {
            const Result<bool> more = read_pipe(child.out.from.get(), buffer, take);
            if (!more) return more.error();
            writes = *more;
        }
        if (writes) continue;
        // A connection that ssh shares and keeps may hold its standard error open for longer.
        if (const std::optional<int> status = child.ended()) {
            end.status = *status;
            while (speaks) {
                const std::size_t before = end.said.size();
                const Result<bool> more = read_pipe(child.said.from.get(), buffer, note);
                speaks = more && *more && end.said.size() != before;
            }
            return end;
        }
    }
}

}  // namespace lanescope
