#include "core/source/unnamed_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "core/base/format.h"

namespace lanescope {

namespace {

constexpr uint64_t kCheckEvery = uint64_t{16} << 20;
// A copy leaves so many bytes of the file system free for other programs; of a small file system, a
// twentieth.
constexpr uint64_t kLeftFree = uint64_t{256} << 20;
constexpr uint64_t kShareLeftFree = 20;

Error temporary_error(const std::string& folder, int code) {
    return {ErrorCode::io, Error::no_offset,
            fmt::format("no temporary file can be created in {}: {}", folder, std::strerror(code))};
}

}  // namespace

std::string temporary_folder() {
    std::error_code code;
    const std::filesystem::path folder = std::filesystem::temp_directory_path(code);
    return code ? "/tmp" : folder.string();
}

Result<std::unique_ptr<UnnamedFile>> UnnamedFile::create(const std::string& folder,
                                                         std::function<uint64_t()> free_bytes) {
    std::unique_ptr<UnnamedFile> file(new UnnamedFile(folder, std::move(free_bytes)));
    if (const Result<void> opened = file->open(); !opened) return opened.error();
    if (const Result<void> fits = file->check_space(0); !fits) return fits.error();
    return file;
}

Result<void> UnnamedFile::open() {
    std::string own = folder_ + "/lanescope-XXXXXX";
    if (!mkdtemp(own.data())) return temporary_error(folder_, errno);  // with mode 0700
    const std::string path = own + "/copy";
    fd_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    const int failed = fd_ < 0 ? errno : 0;
    unlink(path.c_str());
    rmdir(own.c_str());
    if (failed != 0) return temporary_error(folder_, failed);
    return {};
}

UnnamedFile::~UnnamedFile() {
    if (fd_ >= 0) close(fd_);
}

int UnnamedFile::release() {
    return std::exchange(fd_, -1);
}

int UnnamedFile::duplicate() const {
    return fcntl(fd_, F_DUPFD_CLOEXEC, 0);
}

Result<void> UnnamedFile::clear() {
    if (ftruncate(fd_, 0) != 0 || lseek(fd_, 0, SEEK_SET) != 0)
        return Error{ErrorCode::io, Error::no_offset,
                     fmt::format("the temporary copy in {} cannot be written: {}", folder_,
                                 std::strerror(errno))};
    size_ = 0;
    checked_ = 0;
    return {};
}

Result<void> UnnamedFile::check_space(uint64_t bytes) const {
    struct statvfs facts = {};
    if (fstatvfs(fd_, &facts) != 0) return {};  // a full disk is noticed when writing
    const uint64_t whole = uint64_t{facts.f_blocks} * facts.f_frsize;
    const uint64_t left = free_bytes_ ? free_bytes_() : uint64_t{facts.f_bavail} * facts.f_frsize;
    const uint64_t to_others = std::min(kLeftFree, whole / kShareLeftFree);
    if (left > to_others && left - to_others >= bytes) return {};
    const auto text = [](uint64_t count) { return format_bytes(static_cast<int64_t>(count)); };
    std::string why;
    if (bytes > 0) why = fmt::format(", and the file has {}", text(bytes));
    if (size_ > 0) why = fmt::format(" after {} were copied", text(size_));
    return Error{ErrorCode::io, Error::no_offset,
                 fmt::format("{} has only {} free{}; set TMPDIR to a folder with space for the "
                             "whole file",
                             folder_, text(left), why)};
}

Result<void> UnnamedFile::append(std::string_view bytes) {
    if (size_ + bytes.size() >= checked_ + kCheckEvery) {
        checked_ = size_;
        if (const Result<void> fits = check_space(0); !fits) return fits.error();
    }
    while (!bytes.empty()) {
        const ssize_t put = write(fd_, bytes.data(), bytes.size());
        if (put < 0 && errno == EINTR) continue;
        if (put < 0)
            return Error{ErrorCode::io, Error::no_offset,
                         fmt::format("the temporary copy in {} cannot be written after {}: {}; set "
                                     "TMPDIR to a folder with space for the whole file",
                                     folder_, format_bytes(static_cast<int64_t>(size_)),
                                     std::strerror(errno))};
        size_ += static_cast<uint64_t>(put);
        bytes.remove_prefix(static_cast<std::size_t>(put));
    }
    return {};
}

}  // namespace lanescope
