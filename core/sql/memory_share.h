// SqlMemoryShare: how much memory a query may take from SQLite's heap.
#pragma once

#include <sqlite3.h>

#include <cstdint>

namespace lanescope {

// While a share exists, SQLite may take `bytes` for the connection, less what the connection
// already keeps, such as its temporary tables. SQLite has one limit for the whole process: the
// limit is the sum of all shares. The destructor of the last share restores the limit of the
// process, because other parts of the process may use SQLite too. `db`: null while a connection is
// opened.
class SqlMemoryShare {
  public:
    SqlMemoryShare(sqlite3* db, uint64_t bytes);
    ~SqlMemoryShare();
    SqlMemoryShare(const SqlMemoryShare&) = delete;
    SqlMemoryShare& operator=(const SqlMemoryShare&) = delete;

  private:
    sqlite3* db_;
    int64_t kept_;  // bytes that the connection kept when the share began
    int64_t bytes_;
};

}  // namespace lanescope
