// The copy of a stream that lanescope_open_stream() reads.
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "api/opened.h"

namespace lanescope {

namespace {

namespace fs = std::filesystem;

Error copy_error(const std::string& path, int number) {
    return {ErrorCode::io, Error::no_offset,
            path + ": the copy of the stream cannot be written: " + std::strerror(number)};
}

// A descriptor that is closed.
class CopyFile {
  public:
    explicit CopyFile(const std::string& path)
        : descriptor_(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)) {}
    ~CopyFile() {
        if (descriptor_ >= 0) close(descriptor_);
    }
    CopyFile(const CopyFile&) = delete;
    CopyFile& operator=(const CopyFile&) = delete;

    explicit operator bool() const { return descriptor_ >= 0; }
    bool write_all(const char* bytes, std::size_t count) const {
        while (count > 0) {
            const ssize_t written = write(descriptor_, bytes, count);
            if (written < 0 && errno == EINTR) continue;
            if (written < 0) return false;
            bytes += written;
            count -= static_cast<std::size_t>(written);
        }
        return true;
    }

  private:
    int descriptor_;
};

// The last part of a name, so that it stays inside the folder.
std::string file_name_of(const std::string& name) {
    const std::string last = fs::path(name).filename().string();
    return last.empty() || last == "." || last == ".." || last.find('\0') != std::string::npos
               ? "stream"
               : last;
}

Result<void> copy_into(const std::string& path, lanescope_read read, void* read_user,
                       const Watch& watch) {
    const CopyFile file(path);
    if (!file) return copy_error(path, errno);
    constexpr std::size_t kBlock = 1U << 20U;
    constexpr std::chrono::milliseconds kAskEvery(100);
    std::vector<char> block(kBlock);
    uint64_t done = 0;
    auto asked = std::chrono::steady_clock::now();
    while (true) {
        const int64_t got = read(read_user, block.data(), block.size());
        if (got < 0 || static_cast<std::size_t>(got) > block.size())
            return Error{ErrorCode::io, done, "the stream cannot be read"};
        if (got == 0) return {};
        if (!file.write_all(block.data(), static_cast<std::size_t>(got)))
            return copy_error(path, errno);
        done += static_cast<uint64_t>(got);
        const auto now = std::chrono::steady_clock::now();
        if (!watch.progress || now - asked < kAskEvery) continue;
        asked = now;
        if (watch.progress(watch.user, done, 0) != 0)
            return Error{ErrorCode::cancelled, Error::no_offset, "cancelled"};
    }
}

}  // namespace

Result<std::string> copy_of_stream(lanescope_read read, void* read_user, const std::string& name,
                                   const Watch& watch) {
    std::error_code error;
    std::string folder = (fs::temp_directory_path(error) / "lanescope-XXXXXX").string();
    if (error || !mkdtemp(folder.data())) return copy_error(folder, error ? ENOENT : errno);
    std::string path = folder + "/" + file_name_of(name);
    const Result<void> copied = copy_into(path, read, read_user, watch);
    if (copied) return path;
    remove_copy(folder);
    return copied.error();
}

void remove_copy(const std::string& folder) {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
}

}  // namespace lanescope
