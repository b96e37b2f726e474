// SqliteVfs: a file system for SQLite that consists of one opened file, which can only be read.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/source/file.h"

struct sqlite3_vfs;

namespace lanescope {

// Journals and write-ahead logs beside the file do not exist for SQLite, and nothing is written.
// For one connection; must outlive it.
class SqliteVfs {
  public:
    // `size`: what SQLite takes for the size of the file; bytes after the file's end cannot be
    // read.
    SqliteVfs(std::shared_ptr<InputFile> file, uint64_t size);
    ~SqliteVfs();
    SqliteVfs(const SqliteVfs&) = delete;
    SqliteVfs& operator=(const SqliteVfs&) = delete;

    bool is_registered() const { return registered_; }
    const char* name() const { return name_.c_str(); }  // to open the connection with
    uint64_t size() const { return size_; }
    uint64_t bytes_read() const { return bytes_read_; }  // in total

    // Reads like InputFile::read_at(). Successive reads take a larger piece from the file at once.
    Result<std::size_t> read_at(uint64_t offset, char* into, std::size_t bytes);

  private:
    std::shared_ptr<InputFile> file_;
    uint64_t size_;
    std::string name_;
    std::unique_ptr<sqlite3_vfs> vfs_;
    bool registered_ = false;
    uint64_t bytes_read_ = 0;
    uint64_t next_ = 0;  // where the last read ended
    std::vector<char> piece_;
    uint64_t piece_begin_ = 0;
    std::size_t piece_size_ = 0;
};

}  // namespace lanescope
