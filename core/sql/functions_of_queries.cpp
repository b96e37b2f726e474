#include "core/sql/functions_of_queries.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/sql/parameters.h"
#include "core/sql/statement.h"
#include "core/sql/vtab.h"

namespace lanescope {

namespace {

constexpr int kMaxDepth = 32;  // of functions that call themselves

struct QueryFunction {
    sqlite3* db;
    SqlPermissions& permissions;
    std::string name, body;
    std::vector<std::string> arguments, columns;
    std::optional<Statement> statement;  // of a scalar function
    int depth = 0;
};

void bind(const QueryFunction& function, sqlite3_stmt* statement, std::size_t argument,
          sqlite3_value* value) {
    const std::string name = "$" + function.arguments[argument];
    if (const int place = sqlite3_bind_parameter_index(statement, name.c_str()))
        sqlite3_bind_value(statement, place, value);
}

// Gives the first column of the first row.
void give_first(QueryFunction& function, sqlite3_stmt* statement, sqlite3_context* context,
                sqlite3_value** values) {
    for (std::size_t i = 0; i < function.arguments.size(); ++i)
        bind(function, statement, i, values[i]);
    const int result = sqlite3_step(statement);
    if (result == SQLITE_ROW)
        sqlite3_result_value(context, sqlite3_column_value(statement, 0));
    else if (result != SQLITE_DONE)
        sqlite3_result_error(context, sqlite3_errmsg(function.db), -1);
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
}

void call_function(sqlite3_context* context, int, sqlite3_value** values) {
    auto& function = *static_cast<QueryFunction*>(sqlite3_user_data(context));
    if (function.depth == kMaxDepth)
        return sqlite3_result_error(context, "the function calls itself too often", -1);
    ++function.depth;
    const int failed = guarded([&] {
        // A call inside a call needs a statement of its own.
        std::optional<Statement> own;
        std::optional<Statement>& statement = function.depth == 1 ? function.statement : own;
        if (!statement) {
            Result<Statement> made = Statement::prepare(function.db, function.body);
            if (!made) {
                sqlite3_result_error(context, made.error().text.c_str(), -1);
                return SQLITE_OK;
            }
            statement.emplace(std::move(*made));
        }
        give_first(function, statement->get(), context, values);
        return SQLITE_OK;
    });
    if (failed) sqlite3_result_error_code(context, failed);
    --function.depth;
}

void destroy_function(void* function) {
    delete static_cast<QueryFunction*>(function);
}

struct QueryTable : sqlite3_vtab {
    explicit QueryTable(const QueryFunction& function_) : sqlite3_vtab{}, function(function_) {}
    const QueryFunction& function;
};

struct QueryScan : sqlite3_vtab_cursor {
    explicit QueryScan(Statement statement_)
        : sqlite3_vtab_cursor{}, statement(std::move(statement_)) {}
    Statement statement;
    bool ended = true;
    int64_t row = 0;
};

struct QueryCallbacks {
    static int connect(sqlite3* db, void* data, int, const char* const*, sqlite3_vtab** table,
                       char**) {
        return guarded([&] {
            const auto& function = *static_cast<const QueryFunction*>(data);
            std::string text = "CREATE TABLE x(";
            for (const std::string& column : function.columns) text += column + ", ";
            for (const std::string& argument : function.arguments)
                text += fmt::format("\"in_{}\" HIDDEN, ", argument);
            text.resize(text.size() - 2);
            text += ")";
            if (const int failed = declare_table(db, function.permissions, text.c_str()))
                return failed;
            *table = new QueryTable(function);
            return SQLITE_OK;
        });
    }
    static int best_index(sqlite3_vtab* table, sqlite3_index_info* info) {
        const QueryFunction& function = static_cast<QueryTable*>(table)->function;
        const auto first = static_cast<int>(function.columns.size());
        int bound = 0;
        for (std::size_t argument = 0; argument < function.arguments.size(); ++argument)
            for (int i = 0; i < info->nConstraint; ++i) {
                const auto& constraint = info->aConstraint[i];
                if (constraint.iColumn != first + static_cast<int>(argument) ||
                    constraint.op != SQLITE_INDEX_CONSTRAINT_EQ)
                    continue;
                if (!constraint.usable) return SQLITE_CONSTRAINT;
                info->aConstraintUsage[i].argvIndex = ++bound;
                info->aConstraintUsage[i].omit = 1;
                break;
            }
        if (bound < static_cast<int>(function.arguments.size())) {
            return guarded([&] {
                set_error(*table, fmt::format("{} takes {} arguments", function.name,
                                              function.arguments.size()));
                return SQLITE_ERROR;
            });
        }
        info->estimatedCost = 100;
        info->estimatedRows = 100;
        return SQLITE_OK;
    }
    static int open(sqlite3_vtab* table, sqlite3_vtab_cursor** cursor) {
        return guarded([&] {
            const QueryFunction& function = static_cast<QueryTable*>(table)->function;
            Result<Statement> statement = Statement::prepare(function.db, function.body);
            if (!statement) {
                set_error(*table, statement.error().text);
                return SQLITE_ERROR;
            }
            *cursor = new QueryScan(std::move(*statement));
            return SQLITE_OK;
        });
    }
    static int filter(sqlite3_vtab_cursor* cursor, int, const char*, int count,
                      sqlite3_value** values) {
        return guarded([&] {
            auto& scan = *static_cast<QueryScan*>(cursor);
            const QueryFunction& function = static_cast<QueryTable*>(cursor->pVtab)->function;
            sqlite3_reset(scan.statement.get());
            for (int i = 0; i < count; ++i)
                bind(function, scan.statement.get(), static_cast<std::size_t>(i), values[i]);
            scan.row = 0;
            return next(cursor);
        });
    }
    static int next(sqlite3_vtab_cursor* cursor) {
        auto& scan = *static_cast<QueryScan*>(cursor);
        ++scan.row;
        const int result = sqlite3_step(scan.statement.get());
        scan.ended = result != SQLITE_ROW;
        if (result == SQLITE_ROW || result == SQLITE_DONE) return SQLITE_OK;
        const QueryFunction& function = static_cast<QueryTable*>(cursor->pVtab)->function;
        set_error(*cursor->pVtab, sqlite3_errmsg(function.db));
        return result;
    }
    static int eof(sqlite3_vtab_cursor* cursor) { return static_cast<QueryScan*>(cursor)->ended; }
    static int column(sqlite3_vtab_cursor* cursor, sqlite3_context* context, int column) {
        sqlite3_stmt* const statement = static_cast<QueryScan*>(cursor)->statement.get();
        const QueryFunction& function = static_cast<QueryTable*>(cursor->pVtab)->function;
        if (column < static_cast<int>(function.columns.size()))
            sqlite3_result_value(context, sqlite3_column_value(statement, column));
        return SQLITE_OK;
    }
    static int rowid(sqlite3_vtab_cursor* cursor, sqlite3_int64* id) {
        *id = static_cast<QueryScan*>(cursor)->row;
        return SQLITE_OK;
    }
    static int disconnect(sqlite3_vtab* table) {
        delete static_cast<QueryTable*>(table);
        return SQLITE_OK;
    }
    static int close(sqlite3_vtab_cursor* cursor) {
        delete static_cast<QueryScan*>(cursor);
        return SQLITE_OK;
    }
};

constexpr sqlite3_module kQueryModule = read_only_module<QueryCallbacks>();

std::string in_lower_case(std::string text) {
    std::ranges::transform(text, text.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

}  // namespace

// The body compiles and has the columns that were declared.
Result<void> QueryFunctions::check(const SqlStatement& statement) const {
    const Result<Statement> compiled = Statement::prepare(db_, statement.text);
    if (!compiled) return compiled.error();
    const int parameters = sqlite3_bind_parameter_count(compiled->get());
    for (int i = 1; i <= parameters; ++i) {
        const char* const written = sqlite3_bind_parameter_name(compiled->get(), i);
        const std::string_view name = written ? written : "?";
        if (name.starts_with('$') &&
            std::ranges::find(statement.arguments, name.substr(1)) != statement.arguments.end())
            continue;
        const uint64_t place = place_of_parameter(statement.text, name);
        return Error{ErrorCode::usage, place == Error::no_offset ? 0 : place,
                     fmt::format("the function {} has no argument {}", statement.name, name)};
    }
    const auto width = static_cast<std::size_t>(sqlite3_column_count(compiled->get()));
    const std::size_t wanted = std::max<std::size_t>(1, statement.columns.size());
    if (width == wanted) return {};
    return Error{ErrorCode::usage, 0,
                 fmt::format("the function {} returns {} columns, and its query {}", statement.name,
                             wanted, width)};
}

bool QueryFunctions::exists(const std::string& name, bool is_table, int arguments) const {
    const SqlOwnStatements allowed(permissions_);
    const Result<Statement> query = Statement::prepare(
        db_, is_table ? "SELECT 1 FROM pragma_module_list WHERE name = ?1"
                      : "SELECT 1 FROM pragma_function_list WHERE name = ?1 AND narg IN (?2, -1)");
    if (!query) return false;
    sqlite3_bind_text(query->get(), 1, name.c_str(), -1, SQLITE_TRANSIENT);
    if (!is_table) sqlite3_bind_int(query->get(), 2, arguments);
    return sqlite3_step(query->get()) == SQLITE_ROW;
}

QueryFunctions::~QueryFunctions() {
    for (const auto& [name, arguments] : scalars_)
        sqlite3_create_function_v2(db_, name.c_str(), arguments, SQLITE_UTF8, nullptr, nullptr,
                                   nullptr, nullptr, nullptr);
}

Result<void> QueryFunctions::create(const SqlStatement& statement) {
    const std::string name = in_lower_case(statement.name);
    if (names_.contains(name) && !statement.replaces)
        return Error{ErrorCode::usage, 0,
                     fmt::format("there is a function {}: write CREATE OR REPLACE", name)};
    auto function = std::make_unique<QueryFunction>(
        QueryFunction{db_, permissions_, statement.name, statement.text, statement.arguments,
                      statement.columns, std::nullopt, 0});
    const bool is_table = !statement.columns.empty();
    const auto arguments = static_cast<int>(statement.arguments.size());
    const auto add = [&](QueryFunction* made) {
        return is_table
                   ? sqlite3_create_module_v2(db_, name.c_str(), made ? &kQueryModule : nullptr,
                                              made, made ? destroy_function : nullptr)
                   : sqlite3_create_function_v2(db_, name.c_str(), arguments,
                                                SQLITE_UTF8 | SQLITE_INNOCUOUS, made,
                                                made ? call_function : nullptr, nullptr, nullptr,
                                                made ? destroy_function : nullptr);
    };
    // A function may call itself, so the function must exist before its body is compiled. If the
    // body does not compile, the function that it would have replaced must remain.
    const bool replaces = exists(name, is_table, arguments);
    if (replaces)
        if (const Result<void> sound = check(statement); !sound) return sound.error();
    if (add(function.release()))
        return Error{ErrorCode::usage, Error::no_offset, sqlite3_errmsg(db_)};
    if (!replaces)
        if (const Result<void> sound = check(statement); !sound) {
            add(nullptr);
            return sound.error();
        }
    names_.insert(name);
    if (!is_table) scalars_.emplace(name, arguments);
    return {};
}

}  // namespace lanescope
