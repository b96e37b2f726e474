// A file in memory that has a path.
#pragma once

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <string_view>

namespace lanescope::testing {

class MemoryFile {
  public:
    explicit MemoryFile(std::string_view bytes) : fd_(memfd_create("trace", MFD_CLOEXEC)) {
        while (!bytes.empty()) {
            const ssize_t put = write(fd_, bytes.data(), bytes.size());
            if (put <= 0) std::abort();
            bytes.remove_prefix(static_cast<std::size_t>(put));
        }
    }
    ~MemoryFile() { close(fd_); }
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;

    int fd() const { return fd_; }
    std::string path() const { return fmt::format("/proc/self/fd/{}", fd_); }

  private:
    int fd_;
};

}  // namespace lanescope::testing
