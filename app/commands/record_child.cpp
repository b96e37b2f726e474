#include "app/commands/record_child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace lanescope {

namespace {

constexpr int kCannotRun = 126;  // the exit status that shells report
constexpr int kNotFound = 127;

void close_end(int& fd) {
    if (fd >= 0) close(std::exchange(fd, -1));
}

// Reads NAME\0VALUE\0… until the recorder closes the pipe. A recorder that was stopped or killed
// does not keep the program from running: then there are no variables.
std::string read_variables(int fd) {
    constexpr int at_most_ms = 10'000;
    std::string text;
    char part[4096];
    while (true) {
        struct pollfd waited = {fd, POLLIN, 0};
        const int ready = poll(&waited, 1, at_most_ms);
        if (ready < 0 && errno == EINTR) continue;
        if (ready <= 0) return "";
        const ssize_t got = read(fd, part, sizeof part);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return got == 0 ? text : "";
        text.append(part, static_cast<std::size_t>(got));
    }
}

void set_variables(const std::string& text) {
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t name_end = text.find('\0', at);
        const std::size_t end =
            name_end == std::string::npos ? name_end : text.find('\0', name_end + 1);
        if (end == std::string::npos) return;
        setenv(text.c_str() + at, text.c_str() + name_end + 1, 1);
        at = end + 1;
    }
}

}  // namespace

WaitedSignals::WaitedSignals() {
    sigset_t set = {};
    sigemptyset(&set);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCHLD})
        sigaddset(&set, signal);
    sigprocmask(SIG_BLOCK, &set, &before_);
    waited_ = set;
}

std::optional<siginfo_t> WaitedSignals::wait(Nanos at_most) const {
    const struct timespec time = {at_most / 1'000'000'000, at_most % 1'000'000'000};
    siginfo_t info = {};
    if (sigtimedwait(&waited_, &info, &time) < 0) return std::nullopt;
    return info;
}

Result<std::unique_ptr<RecordedChild>> RecordedChild::start(const std::vector<std::string>& command,
                                                            const WaitedSignals& signals) {
    std::unique_ptr<RecordedChild> child(new RecordedChild);
    int variables[2] = {-1, -1};
    int failure[2] = {-1, -1};
    const bool has_pipes = pipe2(variables, O_CLOEXEC) == 0 && pipe2(failure, O_CLOEXEC) == 0;
    child->pid_ = has_pipes ? fork() : -1;
    const int why = errno;
    if (child->pid_ == 0) {
        close_end(variables[1]);
        close_end(failure[0]);
        set_variables(read_variables(variables[0]));
        signals.restore();
        execute(command, [&] {
            const char failed = 1;
            while (write(failure[1], &failed, 1) < 0 && errno == EINTR) continue;
        });
    }
    close_end(variables[0]);
    close_end(failure[1]);
    child->variables_ = variables[1];
    child->failure_ = failure[0];
    if (child->pid_ < 0)
        return Error{ErrorCode::io, Error::no_offset,
                     fmt::format("cannot start a process: {}", std::strerror(why))};
    return child;
}

RecordedChild::~RecordedChild() {
    if (variables_ >= 0 && pid_ > 0) {
        kill(pid_, SIGKILL);
        waitpid(pid_, nullptr, 0);
    }
    close_end(variables_);
    close_end(failure_);
}

bool RecordedChild::release(const std::map<std::string, std::string>& variables) {
    // The child may have been killed meanwhile.
    const auto on_broken_pipe = std::signal(SIGPIPE, SIG_IGN);
    std::string text;
    for (const auto& [name, value] : variables) text += name + '\0' + value + '\0';
    ssize_t put = 0;
    for (std::size_t done = 0; done < text.size() && put >= 0;) {
        put = write(variables_, text.data() + done, text.size() - done);
        if (put > 0) done += static_cast<std::size_t>(put);
        if (put < 0 && errno == EINTR) put = 0;
    }
    close_end(variables_);
    std::signal(SIGPIPE, on_broken_pipe);
    char failed = 0;
    ssize_t got = 0;
    while ((got = read(failure_, &failed, 1)) < 0 && errno == EINTR) continue;
    return got == 0;
}

void execute(const std::vector<std::string>& command, const std::function<void()>& before_end) {
    std::vector<char*> words;
    words.reserve(command.size() + 1);
    for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    execvp(words[0], words.data());
    const int why = errno;
    fmt::print(stderr, "lanescope: {}: {}\n", command[0], std::strerror(why));
    std::fflush(stderr);
    before_end();
    _exit(why == ENOENT ? kNotFound : kCannotRun);
}

void pass_on(const siginfo_t& signal, pid_t child) {
    // A signal from the terminal goes to the whole process group, so the program has it already.
    if (signal.si_signo != SIGCHLD && signal.si_code != SI_KERNEL) kill(child, signal.si_signo);
}

int exit_code_of(int status) {
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int follow_unrecorded(pid_t child, const WaitedSignals& signals) {
    constexpr Nanos a_while = 1'000'000'000;
    int status = 0;
    while (waitpid(child, &status, WNOHANG) != child) {
        if (const auto signal = signals.wait(a_while)) pass_on(*signal, child);
    }
    return exit_code_of(status);
}

}  // namespace lanescope
