// QueryFunctions: the functions that CREATE PERFETTO FUNCTION makes of queries.
#pragma once

#include <sqlite3.h>

#include <set>
#include <string>

#include "core/base/result.h"
#include "core/sql/authorizer.h"
#include "core/sql/script.h"

namespace lanescope {

class QueryFunctions {
  public:
    QueryFunctions(sqlite3* db, SqlPermissions& permissions) : db_(db), permissions_(permissions) {}

    // Errors: the body does not compile (the byte offset is a place in the statement's text), or
    // there is a function of this name and the statement does not replace it.
    Result<void> create(const SqlStatement& statement);

  private:
    Result<void> check(const SqlStatement& statement) const;

    sqlite3* db_;
    SqlPermissions& permissions_;
    std::set<std::string> names_;  // in lower case
};

}  // namespace lanescope
