#include "core/sql/authorizer.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/sql/tokens.h"

namespace lanescope {

namespace {

// Pragmas that only tell about tables and SQLite.
constexpr std::array<std::string_view, 7> kPragmas = {
    "table_info",    "table_xinfo",     "table_list",  "function_list",
    "database_list", "compile_options", "module_list",
};
constexpr std::array<std::string_view, 3> kRefusedFunctions = {"load_extension", "fts3_tokenizer",
                                                               "sqlite_log"};
constexpr std::array<std::string_view, 3> kJoinModules = {"span_join", "span_left_join",
                                                          "span_outer_join"};

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& words, const char* text) {
    return text &&
           std::ranges::any_of(words, [&](std::string_view word) { return same_word(word, text); });
}

std::string_view action_text(int action, bool may_create) {
    switch (action) {
        case SQLITE_ATTACH:
        case SQLITE_DETACH:
            return "attach files";
        case SQLITE_PRAGMA:
            return "use this pragma";
        case SQLITE_FUNCTION:
            return "call this function";
        case SQLITE_CREATE_VTABLE:
            return "create virtual tables other than SPAN_JOIN";
        case SQLITE_TRANSACTION:
        case SQLITE_SAVEPOINT:
            return "begin transactions";
        case SQLITE_CREATE_TRIGGER:
        case SQLITE_CREATE_TEMP_TRIGGER:
            return "create triggers";
        default:
            return may_create ? "change anything but temporary tables"
                              : "create or change anything here";
    }
}

bool is_allowed(int action, const char* first, const char* second, const char* database,
                bool may_create) {
    const bool temporary = may_create && database && std::string_view(database) == "temp";
    switch (action) {
        case SQLITE_SELECT:
        case SQLITE_READ:
        case SQLITE_RECURSIVE:
            return true;
        case SQLITE_CREATE_TEMP_INDEX:
        case SQLITE_CREATE_TEMP_TABLE:
        case SQLITE_CREATE_TEMP_VIEW:
        case SQLITE_DROP_TEMP_INDEX:
        case SQLITE_DROP_TEMP_TABLE:
        case SQLITE_DROP_TEMP_VIEW:
            return may_create;
        case SQLITE_INSERT:
        case SQLITE_UPDATE:
        case SQLITE_DELETE:
        case SQLITE_REINDEX:
            return temporary;
        case SQLITE_CREATE_VTABLE:
        case SQLITE_DROP_VTABLE:
            return temporary && is_one_of(kJoinModules, second);
        case SQLITE_FUNCTION:
            return !is_one_of(kRefusedFunctions, second);
        case SQLITE_PRAGMA:
            return is_one_of(kPragmas, first);
        default:
            return false;
    }
}

int authorize(void* data, int action, const char* first, const char* second, const char* database,
              const char*) {
    auto& permissions = *static_cast<SqlPermissions*>(data);
    if (permissions.declaring > 0 ||
        is_allowed(action, first, second, database, permissions.may_create))
        return SQLITE_OK;
    if (permissions.refusal.empty())
        permissions.refusal =
            "a query cannot " + std::string(action_text(action, permissions.may_create));
    return SQLITE_DENY;
}

}  // namespace

int declare_table(sqlite3* db, SqlPermissions& permissions, const char* text) {
    ++permissions.declaring;
    const int result = sqlite3_declare_vtab(db, text);
    --permissions.declaring;
    return result;
}

void add_pragma_tables(sqlite3* db) {
    for (const std::string_view pragma : kPragmas) {
        sqlite3_stmt* statement = nullptr;
        const std::string text = "SELECT * FROM pragma_" + std::string(pragma);
        sqlite3_prepare_v2(db, text.c_str(), -1, &statement, nullptr);
        sqlite3_finalize(statement);
    }
}

void set_read_only(sqlite3* db, SqlPermissions& permissions) {
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, nullptr);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0, nullptr);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
    sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_set_authorizer(db, authorize, &permissions);
}

}  // namespace lanescope
