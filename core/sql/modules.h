// The virtual tables of a connection. Each function registers modules; the source must outlive the
// connection. They return SQLite's result codes.
#pragma once

#include <sqlite3.h>

namespace lanescope {

struct SqlSource;

// slice, and the functions ancestor_slice(id) and descendant_slice(id) with its columns.
int add_slice_modules(sqlite3* db, SqlSource& source);
// args.
int add_argument_module(sqlite3* db, SqlSource& source);
// All tables of tables.h.
int add_table_modules(sqlite3* db, SqlSource& source);
// Scalar functions and aggregates; see docs/sql.md.
int add_sql_functions(sqlite3* db, SqlSource& source);
// SPAN_JOIN and its variants, for CREATE VIRTUAL TABLE.
int add_span_join_modules(sqlite3* db, SqlSource& source);

}  // namespace lanescope
