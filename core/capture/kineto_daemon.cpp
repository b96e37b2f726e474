#include "core/capture/kineto_daemon.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "core/capture/process_facts.h"

namespace lanescope {

namespace {

CaptureSystem real_system() {
    return {is_alive, file_of_process, [](const std::string& file) {
                struct stat facts {};
                return lstat(file.c_str(), &facts) == 0 && S_ISREG(facts.st_mode);
            }};
}

Error io_error(const std::string& file) {
    return {ErrorCode::io, Error::no_offset,
            fmt::format("{}: {}", file, std::generic_category().message(errno))};
}

// Closes a file descriptor when destroyed.
struct Handle {
    explicit Handle(int opened) : number(opened) {}
    ~Handle() {
        if (number >= 0) close(number);
    }
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;

    int number;
};

bool copy_all(int from, int to, off_t size) {
    while (size > 0) {
        const ssize_t copied = sendfile(to, from, nullptr, static_cast<std::size_t>(size));
        if (copied <= 0) return false;
        size -= copied;
    }
    return true;
}

}  // namespace

KinetoDaemon::KinetoDaemon(KinetoSocket socket)
    : socket_(std::move(socket)), targets_(real_system()) {}

Result<KinetoDaemon> KinetoDaemon::start(const std::string& folder) {
    Result<KinetoSocket> socket = KinetoSocket::bind(folder);
    if (!socket) return socket.error();
    return KinetoDaemon(std::move(*socket));
}

void KinetoDaemon::step(int timeout_ms) {
    constexpr int kAtOnce = 64;  // limits messages per step, so that a flood cannot delay captures
    for (int i = 0; i < kAtOnce; ++i) {
        const auto datagram = socket_.receive(i == 0 ? timeout_ms : 0);
        if (!datagram) break;
        const Result<KinetoMessage> message = read_kineto_message(datagram->bytes);
        if (!message) {
            ++not_understood_;
            continue;
        }
        socket_.answer(*datagram,
                       targets_.answer(*message, datagram->pid, std::chrono::system_clock::now()));
    }
    targets_.update(std::chrono::system_clock::now());
}

Result<void> take_trace(const std::string& from, const std::string& to) {
    // The process chose the file: a symbolic link could lead to any file that this user can read.
    const Handle source(open(from.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
    struct stat facts {};
    if (source.number < 0 || fstat(source.number, &facts) != 0) return io_error(from);
    if (!S_ISREG(facts.st_mode))
        return Error{ErrorCode::io, Error::no_offset, from + " is not a regular file"};
    const std::string temporary = to + ".part";
    {
        const Handle target(
            open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644));
        if (target.number < 0) return io_error(to);
        if (!copy_all(source.number, target.number, facts.st_size)) {
            const Error error = io_error(to);
            unlink(temporary.c_str());
            return error;
        }
    }
    if (std::rename(temporary.c_str(), to.c_str()) != 0) return io_error(to);
    unlink(from.c_str());
    return {};
}

}  // namespace lanescope
