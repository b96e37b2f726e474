#include "core/base/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

namespace lanescope {

namespace fs = std::filesystem;

namespace {

using Kind = OutputTarget::Kind;

constexpr std::size_t kCopied = std::size_t{256} << 10;
constexpr int kMaxNames = 1000;
constexpr mode_t kModeOfNewFiles = 0666;
constexpr mode_t kPermissions = 0777;

Error refusal(std::string text) {
    return {ErrorCode::io, Error::no_offset, std::move(text)};
}

std::string folder_of(const std::string& path) {
    const std::string folder = fs::path(path).parent_path().string();
    return folder.empty() ? "." : folder;
}

// Writes everything; returns 0 or errno.
int write_fully(int fd, const char* bytes, std::size_t size) {
    while (size > 0) {
        const ssize_t written = ::write(fd, bytes, size);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0 && errno == EAGAIN) {  // a pipe that does not block
            pollfd ready = {fd, POLLOUT, 0};
            poll(&ready, 1, -1);
            continue;
        }
        if (written < 0) return errno;
        bytes += written;
        size -= static_cast<std::size_t>(written);
    }
    return 0;
}

int copy_fully(int from, int to, off_t size) {
    std::array<char, kCopied> buffer = {};
    for (off_t at = 0; at < size;) {
        const ssize_t got = pread(from, buffer.data(), buffer.size(), at);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return got < 0 ? errno : EIO;
        if (const int failed = write_fully(to, buffer.data(), static_cast<std::size_t>(got)))
            return failed;
        at += got;
    }
    return 0;
}

// The folder or the file system refuses a second file or a renaming, but not the file itself.
bool may_write_in_place(int reason) {
    return reason == EACCES || reason == EPERM || reason == EROFS || reason == EBUSY ||
           reason == EXDEV || reason == ETXTBSY;
}

Result<void> check_target(const std::string& path, const OutputTarget& target,
                          const OutputRules& rules) {
    if (const std::string input = input_at(target, rules.inputs); !input.empty())
        return refusal(input == path ? fmt::format("{}: this is an input; name another file", path)
                                     : fmt::format("{}: this is an input, {}; name another file",
                                                   path, input));
    if (rules.binary && is_terminal(target))
        return refusal(
            fmt::format("{}: binary data is not written to a terminal; use -o FILE", path));
    const auto denied = [&](int reason) {
        return refusal(fmt::format("{}: cannot be written: {}", path, std::strerror(reason)));
    };
    if (target.kind == Kind::descriptor) return {};
    if (target.kind == Kind::new_file) {
        const std::string folder = folder_of(target.path);
        if (faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) != 0) return denied(errno);
        struct stat facts = {};
        if (stat(folder.c_str(), &facts) == 0 && !S_ISDIR(facts.st_mode)) return denied(ENOTDIR);
        if (fs::path(target.path).filename().empty()) return denied(EISDIR);
        return {};
    }
    if (faccessat(AT_FDCWD, target.path.c_str(), W_OK, AT_EACCESS) != 0) return denied(errno);
    if (target.kind != Kind::file || rules.replaces || target.facts.st_size == 0) return {};
    if (rules.is_ours && rules.is_ours(target.path)) return {};
    return refusal(fmt::format(
        "{}: already exists, and does not say that Lanescope wrote it; --force replaces it", path));
}

}  // namespace

Result<void> check_output(const std::string& path, const OutputRules& rules) {
    const Result<OutputTarget> target = find_output(path);
    return target ? check_target(path, *target, rules) : target.error();
}

Result<std::unique_ptr<OutputFile>> OutputFile::open(const std::string& path,
                                                     const OutputRules& rules) {
    Result<OutputTarget> target = find_output(path);
    if (!target) return target.error();
    if (const Result<void> allowed = check_target(path, *target, rules); !allowed)
        return allowed.error();
    std::unique_ptr<OutputFile> file(new OutputFile(path, std::move(*target)));
    if (const Result<void> opened = file->open_target(); !opened) return opened.error();
    return file;
}

OutputFile::~OutputFile() {
    if (fd_ >= 0) close(fd_);
    if (!temporary_.empty()) unlink(temporary_.c_str());
}

Error OutputFile::error(int reason) const {
    return refusal(fmt::format("{}: cannot be written: {}", path_, std::strerror(reason)));
}

Result<void> OutputFile::open_target() {
    switch (target_.kind) {
        case Kind::descriptor:
            // Text that was printed before must come first.
            std::fflush(target_.descriptor == STDOUT_FILENO ? stdout : stderr);
            fd_ = fcntl(target_.descriptor, F_DUPFD_CLOEXEC, 0);
            break;
        case Kind::other:
            fd_ = ::open(target_.path.c_str(),
                         O_WRONLY | O_CLOEXEC | O_NOCTTY | (target_.foreign ? O_APPEND : 0));
            break;
        case Kind::new_file:
        case Kind::file:
            return open_temporary();
    }
    if (fd_ < 0) return error(errno);
    return {};
}

Result<void> OutputFile::open_temporary() {
    const std::string folder = folder_of(target_.path);
    for (int i = 0; i < kMaxNames && fd_ < 0; ++i) {
        temporary_ = fmt::format("{}/.lanescope-{}-{}.part", folder, getpid(), i);
        fd_ = ::open(temporary_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, kModeOfNewFiles);
        if (fd_ < 0 && errno != EEXIST) break;
    }
    if (fd_ >= 0) {
        if (target_.kind == Kind::new_file) return {};
        // Only root can keep another owner; without that, the file belongs to who writes it.
        if (fchown(fd_, target_.facts.st_uid, target_.facts.st_gid) != 0) errno = 0;
        if (fchmod(fd_, target_.facts.st_mode & kPermissions) != 0) return error(errno);
        return {};
    }
    const int reason = errno;
    temporary_.clear();
    if (target_.kind == Kind::new_file || !may_write_in_place(reason)) return error(reason);
    refused_beside_ = reason;
    std::error_code code;
    std::string pattern = (fs::temp_directory_path(code) / "lanescope-XXXXXX").string();
    if (!code) fd_ = mkostemp(pattern.data(), O_CLOEXEC);
    if (fd_ < 0) return error(reason);
    unlink(pattern.c_str());
    return {};
}

Result<void> OutputFile::write(std::string_view bytes) {
    if (const int failed = write_fully(fd_, bytes.data(), bytes.size())) return error(failed);
    return {};
}

Result<void> OutputFile::finish() {
    if (refused_beside_ != 0) return copy_in_place(refused_beside_);
    if (temporary_.empty()) {
        if (close(std::exchange(fd_, -1)) != 0) return error(errno);
        return {};
    }
    struct stat now = {};
    if (lstat(target_.path.c_str(), &now) == 0 && !S_ISREG(now.st_mode))
        return refusal(fmt::format("{}: is no longer a file, and is not replaced", path_));
    if (std::rename(temporary_.c_str(), target_.path.c_str()) == 0) {
        temporary_.clear();
        if (close(std::exchange(fd_, -1)) != 0) return error(errno);
        return {};
    }
    const int reason = errno;
    if (target_.kind == Kind::file && may_write_in_place(reason)) return copy_in_place(reason);
    return error(reason);
}

// Reserves the space first, so that a full disk leaves the existing contents.
Result<void> OutputFile::copy_in_place(int reason) {
    struct stat written = {};
    struct stat before = {};
    const int to = ::open(target_.path.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
    if (to < 0) return error(errno);
    int failed = 0;
    if (fstat(fd_, &written) != 0 || fstat(to, &before) != 0) failed = errno;
    if (failed == 0 && written.st_size > before.st_size) {
        failed = posix_fallocate(to, 0, written.st_size);
        if (failed == EINVAL || failed == EOPNOTSUPP) failed = 0;  // it cannot be reserved here
        if (failed != 0 && ftruncate(to, before.st_size) != 0) failed = errno;
    }
    if (failed == 0) failed = copy_fully(fd_, to, written.st_size);
    if (failed == 0 && ftruncate(to, written.st_size) != 0) failed = errno;
    if (close(to) != 0 && failed == 0) failed = errno;
    if (failed != 0) return error(failed);
    remark_ =
        fmt::format("{} was written in place, not replaced: {}", path_, std::strerror(reason));
    return {};
}

Result<void> write_output_file(const std::string& path, std::string_view bytes,
                               const OutputRules& rules) {
    Result<std::unique_ptr<OutputFile>> file = OutputFile::open(path, rules);
    if (!file) return file.error();
    if (const Result<void> written = (*file)->write(bytes); !written) return written.error();
    return (*file)->finish();
}

}  // namespace lanescope
