// An input file, opened once. Regular files are read at any offset by any thread. Pipes are first
// copied to an unnamed temporary file, so that all later code is the same.
#pragma once

#include <sys/stat.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "core/base/result.h"

namespace lanescope {

class InputFile {
  public:
    // "-" is standard input. Waits for the writer of a pipe until `cancel`, which may be null, is
    // set. Errors: cannot be opened, is a directory, is empty, cancelled.
    static Result<std::shared_ptr<InputFile>> open(const std::string& path,
                                                   const std::atomic<bool>* cancel = nullptr);
    // Takes over the descriptor of a regular file. `name`: what path() and errors call it. Errors:
    // is empty.
    static Result<std::shared_ptr<InputFile>> of_descriptor(std::string name, int fd);
    ~InputFile();
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;

    const std::string& path() const { return path_; }
    uint64_t size() const { return size_; }
    // Reads up to `bytes` at `offset`; fewer only at the end of the file, or if the file has become
    // shorter.
    Result<std::size_t> read_at(uint64_t offset, char* into, std::size_t bytes) const;
    // The first offset from `offset` on that holds data and not a hole; the end of the file if
    // there is none. On file systems without holes this is `offset`.
    Result<uint64_t> next_data(uint64_t offset) const;
    // True while the file has the size and modification time that it had when opened.
    bool unchanged() const;

  private:
    InputFile(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}
    // Keeps what the file system says of the file.
    Result<void> take_facts(const struct ::stat& info);

    std::string path_;
    int fd_;
    uint64_t size_ = 0;
    int64_t changed_seconds_ = 0;
    int64_t changed_nanos_ = 0;
};

}  // namespace lanescope
