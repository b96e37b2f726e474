// SqliteVfs: a read-only file system for SQLite with a single open file.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/source/file.h"

struct sqlite3_vfs;

namespace lanescope {

// SQLite sees no journal or write-ahead log beside the file, and writes nothing. Used by one
// connection, which it must outlive.
class SqliteVfs {
  public:
    // `size`: the file size reported to SQLite. Bytes beyond the actual end cannot be read.
    SqliteVfs(std::shared_ptr<InputFile> file, uint64_t size);
    ~SqliteVfs();
    SqliteVfs(const SqliteVfs&) = delete;
    SqliteVfs& operator=(const SqliteVfs&) = delete;

    bool is_registered() const { return registered_; }
    const char* name() const { return name_.c_str(); }  // name under which to open the connection
    uint64_t size() const { return size_; }
    uint64_t bytes_read() const { return bytes_read_; }  // in total

    // Reads like InputFile::read_at(), but reads ahead for successive reads.
    Result<std::size_t> read_at(uint64_t offset, char* into, std::size_t bytes);

  private:
    std::shared_ptr<InputFile> file_;
    uint64_t size_;
    std::string name_;
    std::unique_ptr<sqlite3_vfs> vfs_;
    bool registered_ = false;
    uint64_t bytes_read_ = 0;
    uint64_t next_ = 0;  // end of the last read
    std::vector<char> piece_;
    uint64_t piece_begin_ = 0;
    std::size_t piece_size_ = 0;
};

}  // namespace lanescope
