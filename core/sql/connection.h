// SqlConnection: runs SQL over a trace. See docs/sql.md.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/context.h"
#include "core/base/result.h"
#include "core/sql/parameters.h"
#include "core/sql/result_rows.h"
#include "core/trace/trace.h"

namespace lanescope {

struct SqlOptions {
    // Limits SQLite's memory for a query and what its connection keeps, and the size of a result.
    // Queries that run at the same time share the sum of their limits.
    uint64_t memory_bytes = uint64_t{1} << 30;
    std::optional<std::chrono::nanoseconds> timeout;  // of one script
    const std::atomic<bool>* cancel = nullptr;        // set it to stop a query
    bool temporary_tables = true;                     // allow CREATE TABLE, VIEW and INDEX
};

// A table or view that queries can read, with its columns.
struct SqlTableName {
    std::string name;
    std::vector<std::string> columns;
};

// Temporary tables, views and functions live as long as their connection. Only one thread at a time
// may use a connection.
class SqlConnection {
  public:
    static Result<std::unique_ptr<SqlConnection>> open(TracePtr trace, Evidence evidence = {},
                                                       SqlOptions options = {});
    // Shares the results of analyses with the other users of `context`, which must belong to
    // `trace`.
    static Result<std::unique_ptr<SqlConnection>> open(TracePtr trace, const TraceContext& context,
                                                       SqlOptions options = {});
    virtual ~SqlConnection() = default;

    // Runs all statements; `rows` receives the result of the last one that has columns. Statements
    // can write nothing but temporary tables, views and functions. Each statement takes the values
    // of its own parameters. Errors:
    // - `usage` for wrong SQL and for a parameter without a value, with the byte offset in the
    //   script if the offset is known;
    // - `usage` for a value that no statement takes, before the last statement runs;
    // - `cancelled` for a query that was stopped or took too long.
    virtual Result<void> run(std::string_view script, const SqlParameters& parameters,
                             SqlRows& rows) = 0;
    // Every table with its columns.
    virtual std::vector<SqlTableName> table_names() = 0;
    // The functions that a query can call, without operators.
    virtual std::vector<std::string> function_names() = 0;

  protected:
    SqlConnection() = default;
};

}  // namespace lanescope
