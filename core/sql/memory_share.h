// SqlMemoryShare: how much memory a query may take from SQLite's heap.
#pragma once

#include <sqlite3.h>

#include <cstdint>

namespace lanescope {

// While it exists, SQLite may take `bytes` for the connection, less what the connection already
// keeps, such as its temporary tables. SQLite has one limit for the whole process: the shares of
// queries that run at the same time are added to it, and the last one restores the limits of
// before, because other parts of the process may use SQLite too. `db`: null for a connection that
// is being opened.
class SqlMemoryShare {
  public:
    SqlMemoryShare(sqlite3* db, uint64_t bytes);
    ~SqlMemoryShare();
    SqlMemoryShare(const SqlMemoryShare&) = delete;
    SqlMemoryShare& operator=(const SqlMemoryShare&) = delete;

  private:
    sqlite3* db_;
    int64_t kept_;  // by the connection, when the share began
    int64_t bytes_;
};

}  // namespace lanescope
