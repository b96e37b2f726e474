#include "core/source/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <vector>

#include "core/source/archive.h"
#include "core/source/unnamed_file.h"

namespace lanescope {

namespace {

Error io_error(const std::string& path, std::string_view what, int code) {
    return {ErrorCode::io, Error::no_offset,
            fmt::format("{}: {}: {}", path, what, std::strerror(code))};
}

constexpr int kAskPipeEvery = 100;  // ms between checks for a cancelled load

// Waits until the pipe has data or ends. Returns false if `cancel` was set.
bool wait_for_pipe(int pipe, const std::atomic<bool>* cancel) {
    while (!cancel || !cancel->load()) {
        pollfd wanted = {pipe, POLLIN, 0};
        if (poll(&wanted, 1, cancel ? kAskPipeEvery : -1) > 0) return true;
    }
    return false;
}

// Copies a pipe's data into an unnamed temporary file; returns its descriptor.
Result<int> copy_pipe(const std::string& path, int pipe, const std::atomic<bool>* cancel) {
    const auto failed = [&](const Error& error) {
        return Error{error.code, error.byte_offset, fmt::format("{}: {}", path, error.text)};
    };
    const Result<std::unique_ptr<UnnamedFile>> copy = UnnamedFile::create(temporary_folder());
    if (!copy) return failed(copy.error());
    std::vector<char> buffer(std::size_t{1} << 20);
    for (;;) {
        if (!wait_for_pipe(pipe, cancel))
            return Error{ErrorCode::cancelled, Error::no_offset,
                         fmt::format("{}: loading was cancelled", path)};
        const ssize_t got = read(pipe, buffer.data(), buffer.size());
        if (got == 0) return (*copy)->release();
        if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (got < 0) return io_error(path, "cannot read piped input", errno);
        const Result<void> kept = (*copy)->append({buffer.data(), static_cast<std::size_t>(got)});
        if (!kept) return failed(kept.error());
    }
}

// Opens a path that leads through a regular file, which must be an archive.
Result<std::shared_ptr<InputFile>> open_within(const std::string& path,
                                               const std::atomic<bool>* cancel) {
    const std::optional<PathInArchive> place = path_in_archive(path);
    if (!place) return io_error(path, "cannot open", ENOTDIR);
    const Result<std::shared_ptr<InputFile>> archive = InputFile::open(place->archive, cancel);
    if (!archive) return archive.error();
    return open_in_archive(*place, *archive, cancel);
}

}  // namespace

Result<std::shared_ptr<InputFile>> InputFile::open(const std::string& path,
                                                   const std::atomic<bool>* cancel) {
    // O_NONBLOCK opens a pipe at once, even without a writer, so that the wait for a writer can be
    // cancelled.
    const int fd =
        path == "-" ? dup(STDIN_FILENO) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 && errno == ENOTDIR) return open_within(path, cancel);
    if (fd < 0) return io_error(path, "cannot open", errno);
    std::shared_ptr<InputFile> file(new InputFile(path, fd));
    struct stat info = {};
    if (fstat(fd, &info) != 0) return io_error(path, "cannot read the status", errno);
    if (S_ISDIR(info.st_mode)) {
        return Error{ErrorCode::io, Error::no_offset,
                     fmt::format("{}: is a directory; name a trace file in it", path)};
    }
    if (S_ISBLK(info.st_mode) || (S_ISCHR(info.st_mode) && path != "-"))
        return Error{ErrorCode::io, Error::no_offset,
                     fmt::format("{}: is a device, not a trace file", path)};
    if (!S_ISREG(info.st_mode)) {
        const Result<int> copy = copy_pipe(path, fd, cancel);
        if (!copy) return copy.error();
        close(fd);
        file->fd_ = *copy;
        if (fstat(*copy, &info) != 0) return io_error(path, "cannot read the status", errno);
    }
    if (const Result<void> taken = file->take_facts(info); !taken) return taken.error();
    return file;
}

Result<std::shared_ptr<InputFile>> InputFile::of_descriptor(std::string name, int fd) {
    std::shared_ptr<InputFile> file(new InputFile(std::move(name), fd));
    struct stat info = {};
    if (fstat(fd, &info) != 0) return io_error(file->path_, "cannot read the status", errno);
    if (const Result<void> taken = file->take_facts(info); !taken) return taken.error();
    return file;
}

Result<void> InputFile::take_facts(const struct stat& info) {
    size_ = static_cast<uint64_t>(info.st_size);
    changed_seconds_ = info.st_mtim.tv_sec;
    changed_nanos_ = info.st_mtim.tv_nsec;
    if (size_ > 0) return {};
    return Error{ErrorCode::empty, 0,
                 fmt::format("{}: is empty; has the program that writes it finished?", path_)};
}

InputFile::~InputFile() {
    close(fd_);
}

Result<std::size_t> InputFile::read_at(uint64_t offset, char* into, std::size_t bytes) const {
    std::size_t done = 0;
    while (done < bytes) {
        const ssize_t got =
            pread(fd_, into + done, bytes - done, static_cast<off_t>(offset + done));
        if (got == 0) break;
        if (got < 0) {
            if (errno == EINTR) continue;
            Error error = io_error(path_, "cannot read", errno);
            error.byte_offset = offset + done;
            return error;
        }
        done += static_cast<std::size_t>(got);
    }
    return done;
}

bool InputFile::unchanged() const {
    struct stat info = {};
    return fstat(fd_, &info) == 0 && static_cast<uint64_t>(info.st_size) == size_ &&
           info.st_mtim.tv_sec == changed_seconds_ && info.st_mtim.tv_nsec == changed_nanos_;
}

}  // namespace lanescope
