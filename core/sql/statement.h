// Statement: a prepared statement of SQLite's.
#pragma once

#include <sqlite3.h>

#include <memory>
#include <string>

#include "core/base/result.h"

namespace lanescope {

class Statement {
  public:
    // Errors: sqlite3_errmsg(), with the place in the text if it is known.
    static Result<Statement> prepare(sqlite3* db, const std::string& text) {
        sqlite3_stmt* made = nullptr;
        if (sqlite3_prepare_v2(db, text.data(), static_cast<int>(text.size()), &made, nullptr)) {
            const int offset = sqlite3_error_offset(db);
            return Error{ErrorCode::usage,
                         offset < 0 ? Error::no_offset : static_cast<uint64_t>(offset),
                         sqlite3_errmsg(db)};
        }
        return Statement(made);
    }

    sqlite3_stmt* get() const { return statement_.get(); }

  private:
    struct Finalize {
        void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
    };
    explicit Statement(sqlite3_stmt* statement) : statement_(statement) {}

    std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

}  // namespace lanescope
