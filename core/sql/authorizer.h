// Limits the statements of users: they may read everything and write temporary tables only.
#pragma once

#include <sqlite3.h>

#include <string>

namespace lanescope {

struct SqlPermissions {
    std::string refusal;     // why the running statement was not allowed; empty: it was
    bool may_create = true;  // temporary tables, views and indices
    int declaring = 0;       // above 0: a virtual table declares its columns, which is no statement
};

// Allows everything while it exists: for statements of our own.
class SqlOwnStatements {
  public:
    explicit SqlOwnStatements(SqlPermissions& permissions) : permissions_(permissions) {
        ++permissions_.declaring;
    }
    ~SqlOwnStatements() { --permissions_.declaring; }
    SqlOwnStatements(const SqlOwnStatements&) = delete;
    SqlOwnStatements& operator=(const SqlOwnStatements&) = delete;

  private:
    SqlPermissions& permissions_;
};

// Declares the tables of the pragmas that queries may use, such as pragma_table_info. SQLite does
// so at the first use, which would not be allowed: call it before set_read_only().
void add_pragma_tables(sqlite3* db);

// Allows what only reads or belongs to the temporary schema. `permissions` must outlive the
// connection.
void set_read_only(sqlite3* db, SqlPermissions& permissions);

// sqlite3_declare_vtab(), which is subject to the same rules.
int declare_table(sqlite3* db, SqlPermissions& permissions, const char* text);

}  // namespace lanescope
