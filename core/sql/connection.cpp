#include "core/sql/connection.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/sql/authorizer.h"
#include "core/sql/functions_of_queries.h"
#include "core/sql/memory_only.h"
#include "core/sql/memory_share.h"
#include "core/sql/modules.h"
#include "core/sql/perfetto_modules.h"
#include "core/sql/script.h"
#include "core/sql/source.h"
#include "core/sql/statement.h"
#include "core/sql/tables.h"
#include "core/sql/tokens.h"

namespace lanescope {

namespace {

constexpr int kStepsBetweenChecks = 10'000;
constexpr uint64_t kMemoryOfOpening = 64 << 20;  // more than a connection without queries needs
// Caches of 1 GB are never the limit; memory_bytes is. With temp_store = FILE SQLite sorts in
// larger blocks; memory_only.h keeps these files in memory.
constexpr const char* kSettings =
    "PRAGMA temp_store = FILE; PRAGMA main.cache_size = -1000000; "
    "PRAGMA temp.cache_size = -1000000;";

struct CloseDatabase {
    void operator()(sqlite3* db) const { sqlite3_close_v2(db); }
};

class TraceConnection final : public SqlConnection {
  public:
    TraceConnection(TracePtr trace, const TraceContext& context, SqlOptions options)
        : source_(std::move(trace), context), options_(options) {
        source_.cancel = options.cancel;
    }

    Result<void> connect() {
        sqlite3* db = nullptr;
        constexpr int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX;
        const int failed = sqlite3_open_v2(":memory:", &db, flags, memory_only_vfs());
        db_.reset(db);
        if (failed) return Error{ErrorCode::io, Error::no_offset, sqlite3_errstr(failed)};
        const SqlMemoryShare share(nullptr, kMemoryOfOpening);
        int result = sqlite3_exec(db, kSettings, nullptr, nullptr, nullptr);
        if (!result) result = add_slice_modules(db, source_);
        if (!result) result = add_argument_module(db, source_);
        if (!result) result = add_table_modules(db, source_);
        if (!result) result = add_sql_functions(db, source_);
        if (!result) result = add_span_join_modules(db, source_);
        if (!result)
            result =
                sqlite3_exec(db, std::string(sql_prelude()).c_str(), nullptr, nullptr, nullptr);
        if (result) return Error{ErrorCode::io, Error::no_offset, sqlite3_errmsg(db)};
        functions_.emplace(db, source_.permissions);
        if (const Result<void> added = add_flow_functions(); !added) return added.error();
        source_.permissions.may_create = options_.temporary_tables;
        add_pragma_tables(db);
        set_read_only(db, source_.permissions);
        sqlite3_progress_handler(
            db, kStepsBetweenChecks,
            [](void* source) -> int { return static_cast<SqlSource*>(source)->is_stopped(); },
            &source_);
        return {};
    }

    Result<void> run(std::string_view script, const SqlParameters& parameters,
                     SqlRows& rows) override {
        Result<std::vector<SqlStatement>> statements = parse_script(script, macros_);
        if (!statements) return statements.error();
        source_.deadline.reset();
        if (options_.timeout)
            source_.deadline = std::chrono::steady_clock::now() + *options_.timeout;
        ParameterBinder binder(parameters);
        if (statements->empty()) return binder.check_all_taken();
        const SqlMemoryShare share(db_.get(), options_.memory_bytes);
        const EndOfQuery end{source_};
        for (const SqlStatement& statement : *statements)
            if (const Result<void> done =
                    run(statement, {binder, &statement == &statements->back()}, rows);
                !done) {
                Error error = done.error();
                // The token at the place may come from a macro, and be longer than the rest.
                if (error.byte_offset != Error::no_offset)
                    error.byte_offset = std::min<uint64_t>(error.byte_offset, script.size());
                return error;
            }
        return {};
    }

    std::vector<SqlTableName> table_names() override;
    std::vector<std::string> function_names() override;

  private:
    // The values of a script's parameters, and whether the statement is its last one: then no value
    // may be left.
    struct Parameters {
        ParameterBinder& binder;
        bool is_last;

        Result<void> check_all_taken() const {
            return is_last ? binder.check_all_taken() : Result<void>();
        }
    };

    // Frees the arguments of the query before the query's share of the memory is released.
    struct EndOfQuery {
        SqlSource& source;
        ~EndOfQuery() { source.arguments.end_query(); }
    };

    Result<void> add_flow_functions() {
        const Result<std::vector<SqlStatement>> functions = parse_script(sql_flow_functions());
        if (!functions) return functions.error();
        for (const SqlStatement& function : *functions)
            if (const Result<void> made = functions_->create(function); !made) return made.error();
        return {};
    }

    Result<void> run(const SqlStatement& statement, const Parameters& parameters, SqlRows& rows) {
        source_.permissions.refusal.clear();
        if (statement.action == SqlAction::run) return execute(statement, parameters, rows);
        if (const Result<void> taken = parameters.check_all_taken(); !taken) return taken.error();
        if (statement.action == SqlAction::include) return include(statement);
        if (statement.action == SqlAction::macro) return define(statement);
        const auto made = functions_->create(statement);
        return made ? made
                    : Error{made.error().code, statement.place_of(made.error().byte_offset),
                            text_of_error(made.error().text)};
    }

    Result<void> define(const SqlStatement& statement) {
        const std::string key = macro_key(statement.name);
        if (!statement.replaces && macros_.contains(key))
            return Error{
                ErrorCode::usage, statement.place_of(0),
                fmt::format("there is a macro {}: write CREATE OR REPLACE", statement.name)};
        macros_.insert_or_assign(key, SqlMacro{statement.arguments, statement.text});
        return {};
    }

    Result<void> include(const SqlStatement& statement) {
        const SqlModule* const module = find_sql_module(statement.name);
        if (!module || module->sql.empty()) return {};
        // The module's views only read, so a connection that may not create views can have them
        // too.
        const SqlOwnStatements allowed(source_.permissions);
        const int failed =
            sqlite3_exec(db_.get(), std::string(module->sql).c_str(), nullptr, nullptr, nullptr);
        return failed ? error_of(statement, true) : Result<void>();
    }

    Result<void> execute(const SqlStatement& origin, const Parameters& parameters, SqlRows& rows) {
        if (!origin.drops.empty() &&
            sqlite3_exec(db_.get(), origin.drops.c_str(), nullptr, nullptr, nullptr))
            return error_of(origin, true);
        Result<Statement> prepared = Statement::prepare(db_.get(), origin.text);
        if (!prepared) return error_of(origin, false);
        sqlite3_stmt* const statement = prepared->get();
        if (const Result<void> bound = parameters.binder.bind(statement, origin.text); !bound) {
            Error error = bound.error();
            if (error.byte_offset != Error::no_offset)
                error.byte_offset = origin.place_of(static_cast<std::size_t>(error.byte_offset));
            return error;
        }
        if (const Result<void> taken = parameters.check_all_taken(); !taken) return taken.error();
        const bool has_rows = sqlite3_column_count(statement) > 0;
        if (has_rows) rows.begin(statement);
        while (true) {
            const int result = sqlite3_step(statement);
            if (result == SQLITE_DONE) return {};
            if (result != SQLITE_ROW) return error_of(origin, true);
            if (!has_rows) continue;
            if (const Result<void> added = rows.add(statement); !added) return added.error();
        }
    }

    std::string text_of_error(const std::string& text) const {
        const std::string& refusal = source_.permissions.refusal;
        if (!refusal.empty()) return refusal;
        constexpr std::string_view missing = "no such table: ";
        const SqlModule* const module =
            text.starts_with(missing) ? module_with_view(text.substr(missing.size())) : nullptr;
        return module ? fmt::format("{}; INCLUDE PERFETTO MODULE {} has it", text, module->name)
                      : text;
    }

    // The connection's error. `no_place`: it has no place in the statement's text.
    Error error_of(const SqlStatement& statement, bool no_place) {
        const int code = sqlite3_errcode(db_.get()) & 0xff;
        const int offset = no_place ? -1 : sqlite3_error_offset(db_.get());
        const uint64_t place =
            offset < 0 ? Error::no_offset : statement.place_of(static_cast<std::size_t>(offset));
        if (code == SQLITE_INTERRUPT) {
            const bool cancelled = options_.cancel && options_.cancel->load();
            return {ErrorCode::cancelled, Error::no_offset,
                    cancelled ? "the query was cancelled" : "the query took too long"};
        }
        if (code == SQLITE_NOMEM || code == SQLITE_CANTOPEN || code == SQLITE_IOERR ||
            code == SQLITE_FULL)
            return {ErrorCode::usage, Error::no_offset,
                    fmt::format("the query needs more than {} MiB", options_.memory_bytes >> 20U)};
        return {ErrorCode::usage, place, text_of_error(sqlite3_errmsg(db_.get()))};
    }

    SqlSource source_;
    SqlOptions options_;
    // Closed before what its tables read.
    std::unique_ptr<sqlite3, CloseDatabase> db_;
    std::optional<QueryFunctions> functions_;
    SqlMacros macros_;
};

std::vector<std::string> TraceConnection::function_names() {
    const SqlOwnStatements allowed(source_.permissions);
    const std::string text =
        "SELECT DISTINCT name FROM pragma_function_list WHERE name GLOB '[a-z]*' ORDER BY 1";
    std::vector<std::string> names;
    if (Result<Statement> statement = Statement::prepare(db_.get(), text))
        while (sqlite3_step(statement->get()) == SQLITE_ROW)
            names.emplace_back(
                reinterpret_cast<const char*>(sqlite3_column_text(statement->get(), 0)));
    return names;
}

std::vector<SqlTableName> TraceConnection::table_names() {
    const SqlOwnStatements allowed(source_.permissions);
    std::vector<SqlTableName> tables;
    const auto add = [&](std::string name) {
        const std::string text = "SELECT name FROM pragma_table_info(?1)";
        Result<Statement> columns = Statement::prepare(db_.get(), text);
        if (!columns) return;
        sqlite3_bind_text(columns->get(), 1, name.c_str(), -1, SQLITE_TRANSIENT);
        SqlTableName& table = tables.emplace_back();
        table.name = std::move(name);
        while (sqlite3_step(columns->get()) == SQLITE_ROW)
            table.columns.emplace_back(
                reinterpret_cast<const char*>(sqlite3_column_text(columns->get(), 0)));
    };
    std::vector<std::string> names = {"slice", "args"};
    for (const SqlTable& table : sql_tables(source_)) names.push_back(table.name);
    const std::string made =
        "SELECT name FROM sqlite_master UNION SELECT name FROM sqlite_temp_master "
        "WHERE type IN ('table', 'view')";
    if (Result<Statement> statement = Statement::prepare(db_.get(), made))
        while (sqlite3_step(statement->get()) == SQLITE_ROW)
            names.emplace_back(
                reinterpret_cast<const char*>(sqlite3_column_text(statement->get(), 0)));
    for (std::string& name : names) add(std::move(name));
    return tables;
}

}  // namespace

Result<std::unique_ptr<SqlConnection>> SqlConnection::open(TracePtr trace, Evidence evidence,
                                                           SqlOptions options) {
    const TraceContext context(trace, std::move(evidence));
    return open(std::move(trace), context, options);
}

Result<std::unique_ptr<SqlConnection>> SqlConnection::open(TracePtr trace,
                                                           const TraceContext& context,
                                                           SqlOptions options) {
    auto connection = std::make_unique<TraceConnection>(std::move(trace), context, options);
    if (const Result<void> connected = connection->connect(); !connected) return connected.error();
    return Result<std::unique_ptr<SqlConnection>>(std::move(connection));
}

}  // namespace lanescope
