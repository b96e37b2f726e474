// Runs SQL on a trace for tests, and returns its rows as CSV.
#pragma once

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <string_view>

#include "core/export/tables/table_writer.h"
#include "core/sql/connection.h"

namespace lanescope::testing {

inline std::unique_ptr<SqlConnection> connect(const TracePtr& trace, SqlOptions options = {}) {
    auto connection = SqlConnection::open(trace, Evidence(), options);
    if (!connection) FAIL(connection.error().text);
    return std::move(*connection);
}

inline Result<std::string> try_sql(SqlConnection& connection, std::string_view script,
                                   const SqlParameters& parameters = {}) {
    SqlRows rows(uint64_t{1} << 28);
    const Result<void> done = connection.run(script, parameters, rows);
    if (!done) return done.error();
    return write_table(rows.take(), TableFormat::csv);
}

// Fails the test if the script fails. Without the line of names.
inline std::string sql(SqlConnection& connection, std::string_view script,
                       const SqlParameters& parameters = {}) {
    const Result<std::string> text = try_sql(connection, script, parameters);
    if (!text) FAIL(script << ": " << text.error().text);
    return text->substr(text->find('\n') + 1);
}

// The message of a script that must fail.
inline std::string sql_error(SqlConnection& connection, std::string_view script,
                             const SqlParameters& parameters = {}) {
    const Result<std::string> text = try_sql(connection, script, parameters);
    CAPTURE(script);
    REQUIRE_FALSE(text);
    return text.error().text;
}

}  // namespace lanescope::testing
