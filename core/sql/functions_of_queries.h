// QueryFunctions: the functions that CREATE PERFETTO FUNCTION makes of queries.
#pragma once

#include <sqlite3.h>

#include <set>
#include <string>
#include <utility>

#include "core/base/result.h"
#include "core/sql/authorizer.h"
#include "core/sql/script.h"

namespace lanescope {

class QueryFunctions {
  public:
    QueryFunctions(sqlite3* db, SqlPermissions& permissions) : db_(db), permissions_(permissions) {}
    // Removes the scalar functions: they keep statements, and the database cannot close with these.
    ~QueryFunctions();
    QueryFunctions(const QueryFunctions&) = delete;
    QueryFunctions& operator=(const QueryFunctions&) = delete;

    // Errors: the body does not compile (the byte offset is a place in the statement's text), or
    // there is a function of this name and the statement does not replace it. After an error,
    // the functions are the same as before.
    Result<void> create(const SqlStatement& statement);

  private:
    Result<void> check(const SqlStatement& statement) const;
    bool exists(const std::string& name, bool is_table, int arguments) const;

    sqlite3* db_;
    SqlPermissions& permissions_;
    std::set<std::string> names_;                    // in lower case
    std::set<std::pair<std::string, int>> scalars_;  // name and number of arguments
};

}  // namespace lanescope
