// UnnamedFile: a file for bytes that cannot be read twice. It has no name once it is created, so
// no other user can open it, and the system frees its space when it is closed, however the program
// ends.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace lanescope {

// TMPDIR, or /tmp.
std::string temporary_folder();

class UnnamedFile {
  public:
    // Creates it in a new folder of `folder` that only this user may enter, and removes both names.
    // `free_bytes`: for tests, the free space of the file system. Errors: it cannot be created, or
    // the free space is smaller than the reserve for other programs.
    static Result<std::unique_ptr<UnnamedFile>> create(const std::string& folder,
                                                       std::function<uint64_t()> free_bytes = {});
    ~UnnamedFile();
    UnnamedFile(const UnnamedFile&) = delete;
    UnnamedFile& operator=(const UnnamedFile&) = delete;

    // Checks that this many bytes fit into the free space without the reserve for other
    // programs.
    Result<void> check_space(uint64_t bytes) const;
    // Errors: the file system is full or nearly full.
    Result<void> append(std::string_view bytes);
    // Removes the contents. Errors: the system refuses.
    Result<void> clear();
    uint64_t size() const { return size_; }
    // Another descriptor of the file, to be closed by the caller; negative: there is none left.
    int duplicate() const;
    // Hands the descriptor over.
    int release();

  private:
    UnnamedFile(std::string folder, std::function<uint64_t()> free_bytes)
        : folder_(std::move(folder)), free_bytes_(std::move(free_bytes)) {}
    Result<void> open();

    std::string folder_;
    std::function<uint64_t()> free_bytes_;
    int fd_ = -1;
    uint64_t size_ = 0;
    uint64_t checked_ = 0;  // size at the last check of the free space
};

}  // namespace lanescope
