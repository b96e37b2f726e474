#include "core/capture/kineto/kineto_daemon.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "core/base/output_file.h"
#include "core/capture/process/process_facts.h"

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

bool has_work(const std::string& file) {
    constexpr std::size_t max_read = std::size_t{64} << 20;
    const Handle source(open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
    std::string text;
    std::vector<char> part(std::size_t{1} << 20);
    while (text.size() < max_read) {
        const ssize_t got = source.number < 0 ? 0 : read(source.number, part.data(), part.size());
        if (got <= 0) break;
        text.append(part.data(), static_cast<std::size_t>(got));
    }
    if (text.size() >= max_read || !text.starts_with('{')) return true;
    constexpr std::string_view key = "\"cat\": \"";
    for (std::size_t at = 0; (at = text.find(key, at)) != std::string::npos;) {
        at += key.size();
        const std::string_view category = std::string_view(text).substr(at, 16);
        if (!category.starts_with("Trace\"") && !category.starts_with("overhead\"")) return true;
    }
    return false;
}

Result<void> take_trace(const std::string& from,
                        const std::function<Result<void>(std::string_view)>& write,
                        const std::function<Result<void>()>& finish) {
    constexpr std::size_t kCopyPiece = std::size_t{1} << 18;
    // The process chose the file: a symbolic link could lead to any file that this user can read.
    const Handle source(open(from.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
    struct stat facts {};
    if (source.number < 0 || fstat(source.number, &facts) != 0) return io_error(from);
    if (!S_ISREG(facts.st_mode))
        return Error{ErrorCode::io, Error::no_offset, from + " is not a regular file"};
    std::vector<char> piece(kCopyPiece);
    for (;;) {
        const ssize_t got = read(source.number, piece.data(), piece.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return io_error(from);
        if (got == 0) break;
        const Result<void> written = write({piece.data(), static_cast<std::size_t>(got)});
        if (!written) return written.error();
    }
    if (const Result<void> finished = finish(); !finished) return finished.error();
    unlink(from.c_str());
    return {};
}

Result<void> take_trace(const std::string& from, const std::string& to) {
    std::unique_ptr<OutputFile> file;
    const auto write = [&](std::string_view text) -> Result<void> {
        if (!file) {
            Result<std::unique_ptr<OutputFile>> opened = OutputFile::open(to);
            if (!opened) return opened.error();
            file = std::move(*opened);
        }
        return file->write(text);
    };
    return take_trace(from, write, [&]() -> Result<void> {
        if (const Result<void> opened = write(""); !opened) return opened.error();
        return file->finish();
    });
}

}  // namespace lanescope
