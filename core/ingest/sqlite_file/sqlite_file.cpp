#include "core/ingest/sqlite_file/sqlite_file.h"

#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>

#include "core/ingest/sqlite_file/sqlite_vfs.h"

namespace lanescope {

namespace {

constexpr int kLongestValue = 64 << 20;       // bytes of a text or blob
constexpr std::size_t kMostTables = 1 << 14;  // further tables are not read
constexpr int kStepsBetweenQuestions = 20'000;
constexpr int kMostQuestions = 1'000;  // while the list of tables is read
constexpr uint64_t kSmallestRow = 6;   // bytes of a row in its page

std::string quoted_name(std::string_view name) {
    std::string quoted = "\"";
    for (const char c : name) {
        if (c == '"') quoted += '"';
        quoted += c;
    }
    return quoted + '"';
}

uint64_t big_endian(std::string_view bytes) {
    uint64_t value = 0;
    for (const char byte : bytes) value = value << 8 | static_cast<unsigned char>(byte);
    return value;
}

// The file size stated in the header; 0: not stated.
uint64_t stated_size(const InputFile& file) {
    std::array<char, 100> head = {};
    const Result<std::size_t> got = file.read_at(0, head.data(), head.size());
    if (!got || *got < head.size()) return 0;
    const std::string_view bytes(head.data(), head.size());
    const uint64_t page = big_endian(bytes.substr(16, 2));
    const bool is_valid = bytes.substr(24, 4) == bytes.substr(92, 4);
    return is_valid ? big_endian(bytes.substr(28, 4)) * (page == 1 ? 65536 : page) : 0;
}

bool has_content(const std::string& path) {
    struct stat info = {};
    return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0;
}

int ask_to_stop(void* stop) {
    return (*static_cast<const std::function<bool()>*>(stop))() ? 1 : 0;
}

int count_down(void* left) {
    return --*static_cast<int*>(left) < 0 ? 1 : 0;
}

void set_limits(sqlite3* database) {
    sqlite3_limit(database, SQLITE_LIMIT_LENGTH, kLongestValue);
    sqlite3_limit(database, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_limit(database, SQLITE_LIMIT_TRIGGER_DEPTH, 1);
    sqlite3_limit(database, SQLITE_LIMIT_COMPOUND_SELECT, 3);
    sqlite3_limit(database, SQLITE_LIMIT_WORKER_THREADS, 0);
}

bool distrust(sqlite3* database) {
    const auto set = [&](int what, int value) {
        return sqlite3_db_config(database, what, value, nullptr) == SQLITE_OK;
    };
    const bool is_set =
        set(SQLITE_DBCONFIG_DEFENSIVE, 1) && set(SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0) &&
        set(SQLITE_DBCONFIG_ENABLE_TRIGGER, 0) && set(SQLITE_DBCONFIG_ENABLE_VIEW, 0) &&
        set(SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0);
    constexpr const char* pragmas =
        "PRAGMA query_only=1; PRAGMA temp_store=2; PRAGMA mmap_size=0; PRAGMA cell_size_check=1;";
    return is_set && sqlite3_exec(database, pragmas, nullptr, nullptr, nullptr) == SQLITE_OK;
}

}  // namespace

bool SqliteTable::has(std::string_view column) const {
    return std::ranges::find(columns, column) != columns.end();
}

Result<std::unique_ptr<SqliteFile>> SqliteFile::open(std::shared_ptr<InputFile> file) {
    std::unique_ptr<SqliteFile> made(new SqliteFile());
    made->file_ = std::move(file);
    const uint64_t size = made->file_->size();
    const uint64_t stated = stated_size(*made->file_);
    made->is_cut_ = stated > size;
    // SQLite refuses a truncated file. With the stated size, it reads all existing pages.
    made->vfs_ = std::make_unique<SqliteVfs>(made->file_, std::max(size, stated));
    if (const Result<void> connected = made->connect(); !connected) return connected.error();
    if (const Result<void> listed = made->list_tables(); !listed) return listed.error();
    for (const char* ending : {"-wal", "-journal"})
        if (const std::string beside = made->file_->path() + ending; has_content(beside))
            made->unread_files_.push_back(beside);
    return made;
}

SqliteFile::~SqliteFile() {
    sqlite3_close_v2(database_);
}

Result<void> SqliteFile::connect() {
    constexpr int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI;
    const bool opened =
        vfs_->is_registered() &&
        sqlite3_open_v2("file:database?immutable=1", &database_, flags, vfs_->name()) == SQLITE_OK;
    if (opened) {
        set_limits(database_);
        if (distrust(database_)) return {};
    }
    return Error{ErrorCode::io, Error::no_offset,
                 fmt::format("{}: SQLite cannot open it", file_->path())};
}

// A damaged list of tables can form a loop of pages.
Result<void> SqliteFile::list_tables() {
    int left = kMostQuestions;
    sqlite3_progress_handler(database_, kStepsBetweenQuestions, count_down, &left);
    const Result<void> found = find_tables();
    if (found)
        for (SqliteTable& table : tables_) describe(table);
    sqlite3_progress_handler(database_, 0, nullptr, nullptr);
    return found;
}

Result<void> SqliteFile::find_tables() {
    // Views and virtual tables have no pages.
    constexpr const char* list =
        "SELECT name FROM sqlite_master WHERE type='table' AND rootpage>0 AND name NOT LIKE "
        "'sqlite\\_%' ESCAPE '\\' ORDER BY name";
    const auto damaged = [&] {
        return Error{ErrorCode::damaged, Error::no_offset,
                     fmt::format("{}: the SQLite database is damaged: {}", file_->path(),
                                 sqlite3_errmsg(database_))};
    };
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(database_, list, -1, &statement, nullptr) != SQLITE_OK) return damaged();
    int code = SQLITE_OK;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW && tables_.size() < kMostTables)
        tables_.push_back(
            {reinterpret_cast<const char*>(sqlite3_column_text(statement, 0)), {}, {}, {}});
    const bool failed = code != SQLITE_DONE && code != SQLITE_ROW && tables_.empty();
    const Error error = damaged();
    sqlite3_finalize(statement);
    if (failed) return error;
    return {};
}

// Whether the primary key has an index. SQLite creates one unless the key is the row number. The
// declaration does not show this: "INTEGER PRIMARY KEY DESC" is not the row number.
bool SqliteFile::has_index_of_key(const std::string& table) const {
    sqlite3_stmt* statement = nullptr;
    const std::string list = fmt::format("PRAGMA index_list({})", quoted_name(table));
    if (sqlite3_prepare_v2(database_, list.c_str(), -1, &statement, nullptr) != SQLITE_OK)
        return true;
    bool has_index = false;
    while (!has_index && sqlite3_step(statement) == SQLITE_ROW) {
        const unsigned char* const origin = sqlite3_column_text(statement, 3);
        has_index = origin && std::string_view(reinterpret_cast<const char*>(origin)) == "pk";
    }
    sqlite3_finalize(statement);
    return has_index;
}

void SqliteFile::describe(SqliteTable& table) const {
    const std::string name = quoted_name(table.name);
    sqlite3_stmt* statement = nullptr;
    const auto prepare = [&](const std::string& text) {
        return sqlite3_prepare_v2(database_, text.c_str(), -1, &statement, nullptr) == SQLITE_OK;
    };
    // This pragma omits generated columns, whose expressions come from the file.
    if (!prepare(fmt::format("PRAGMA table_info({})", name))) return;
    int keys = 0;
    while (sqlite3_step(statement) == SQLITE_ROW) {
        const auto text = [&](int column) {
            const unsigned char* value = sqlite3_column_text(statement, column);
            return value ? std::string(reinterpret_cast<const char*>(value)) : std::string();
        };
        table.columns.push_back(text(1));
        if (sqlite3_column_int(statement, 5) == 0) continue;
        ++keys;
        table.alias = keys == 1 && sqlite3_stricmp(text(2).c_str(), "INTEGER") == 0 ? text(1) : "";
    }
    sqlite3_finalize(statement);
    for (const char* key : {"_rowid_", "rowid", "oid"}) {
        if (table.has(key) || !table.key.empty()) continue;
        if (prepare(fmt::format("SELECT {} FROM {}", key, name))) table.key = key;
        sqlite3_finalize(statement);
    }
    const bool is_alias =
        !table.key.empty() && !table.alias.empty() && !has_index_of_key(table.name);
    if (!is_alias) table.alias.clear();
}

const SqliteTable* SqliteFile::find(std::string_view table) const {
    const auto found = std::ranges::lower_bound(tables_, table, {}, &SqliteTable::name);
    return found != tables_.end() && found->name == table ? &*found : nullptr;
}

SqliteRows SqliteFile::select(const SqliteTable& table, std::span<const std::string_view> columns,
                              const std::string& rest, bool may_turn) const {
    std::string text = fmt::format("SELECT {}", table.key.empty() ? "0" : table.key);
    for (const std::string_view column : columns)
        text += table.has(column) ? "," + quoted_name(column) : ",NULL";
    text += fmt::format(" FROM {} NOT INDEXED", quoted_name(table.name));
    SqliteRows rows;
    rows.database_ = database_;
    if (table.key.empty()) rows.most_rows_ = file_->size() / kSmallestRow;
    if (may_turn && !table.key.empty())
        rows.backwards_ = fmt::format("{} WHERE {}>? ORDER BY {} DESC", text, table.key, table.key);
    text += rest;
    const int code = sqlite3_prepare_v2(database_, text.c_str(), -1, &rows.statement_, nullptr);
    rows.is_damaged_ = code != SQLITE_OK;
    return rows;
}

SqliteRows SqliteFile::rows(const SqliteTable& table,
                            std::span<const std::string_view> columns) const {
    return select(table, columns, "", true);
}

SqliteRows SqliteFile::lookup(const SqliteTable& table,
                              std::span<const std::string_view> columns) const {
    const std::string rest = table.key.empty() ? " WHERE 0" : fmt::format(" WHERE {}=?", table.key);
    return select(table, columns, rest, false);
}

SqliteRows SqliteFile::rows_where(const SqliteTable& table,
                                  std::span<const std::string_view> columns,
                                  std::string_view column, int64_t value) const {
    // In a table whose pages form a loop, SQLite would compare rows endlessly.
    std::vector<std::string_view> all(columns.begin(), columns.end());
    all.push_back(column);
    SqliteRows rows = select(table, all, "", true);
    rows.wanted_ = value;
    return rows;
}

uint64_t SqliteFile::count(const SqliteTable& table) const {
    SqliteRows found = select(table, {}, "", true);
    uint64_t rows = 0;
    while (found.next()) ++rows;
    return rows;
}

void SqliteFile::stop_when(std::function<bool()> stop) {
    stop_ = std::move(stop);
    sqlite3_progress_handler(database_, kStepsBetweenQuestions, ask_to_stop, &stop_);
}

uint64_t SqliteFile::bytes_read() const {
    return vfs_->bytes_read();
}

SqliteRows::SqliteRows(SqliteRows&& other) noexcept
    : database_(other.database_),
      statement_(std::exchange(other.statement_, nullptr)),
      backwards_(std::move(other.backwards_)),
      most_rows_(other.most_rows_),
      rows_(other.rows_),
      wanted_(other.wanted_),
      last_(other.last_),
      has_last_(other.has_last_),
      is_turned_(other.is_turned_),
      is_damaged_(other.is_damaged_),
      is_over_(other.is_over_) {}

SqliteRows::~SqliteRows() {
    sqlite3_finalize(statement_);
}

bool SqliteRows::next() {
    while (statement_ && !is_over_) {
        const int code = sqlite3_step(statement_);
        if (code == SQLITE_ROW && is_in_order()) {
            if (is_wanted()) return true;
            continue;
        }
        if (code == SQLITE_DONE || code == SQLITE_INTERRUPT) break;
        is_damaged_ = true;
        if (!turn_back()) break;
    }
    is_over_ = true;
    return false;
}

// Row numbers increase, or decrease if read from the end. Otherwise, pages lead back to a page
// already read.
bool SqliteRows::is_in_order() {
    if (most_rows_ > 0) return ++rows_ <= most_rows_;
    const int64_t number = row();
    if (has_last_ && (is_turned_ ? number >= last_ : number <= last_)) return false;
    last_ = number;
    has_last_ = true;
    return true;
}

bool SqliteRows::is_wanted() const {
    return !wanted_ || number(sqlite3_column_count(statement_) - 2) == *wanted_;
}

bool SqliteRows::seek(int64_t number) {
    if (!statement_) return false;
    sqlite3_reset(statement_);
    return sqlite3_bind_int64(statement_, 1, number) == SQLITE_OK &&
           sqlite3_step(statement_) == SQLITE_ROW;
}

// After an unreadable page, reads the remaining rows from the end of the table.
bool SqliteRows::turn_back() {
    if (is_turned_ || backwards_.empty()) return false;
    is_turned_ = true;
    sqlite3_finalize(statement_);
    statement_ = nullptr;
    if (sqlite3_prepare_v2(database_, backwards_.c_str(), -1, &statement_, nullptr) != SQLITE_OK)
        return false;
    has_last_ = false;
    return sqlite3_bind_int64(statement_, 1, last_) == SQLITE_OK;
}

int64_t SqliteRows::row() const {
    return sqlite3_column_int64(statement_, 0);
}

bool SqliteRows::is_null(int column) const {
    return sqlite3_column_type(statement_, column + 1) == SQLITE_NULL;
}

int64_t SqliteRows::number(int column, int64_t none) const {
    const int type = sqlite3_column_type(statement_, column + 1);
    if (type == SQLITE_INTEGER) return sqlite3_column_int64(statement_, column + 1);
    if (type != SQLITE_FLOAT) return none;
    constexpr double beyond = 9.2e18;
    const double value = sqlite3_column_double(statement_, column + 1);
    return value > -beyond && value < beyond ? static_cast<int64_t>(value) : none;
}

double SqliteRows::real(int column) const {
    const int type = sqlite3_column_type(statement_, column + 1);
    if (type != SQLITE_INTEGER && type != SQLITE_FLOAT) return 0;
    return sqlite3_column_double(statement_, column + 1);
}

std::string_view SqliteRows::text(int column) const {
    if (!is_text(column)) return {};
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column + 1));
    const int bytes = sqlite3_column_bytes(statement_, column + 1);
    return text ? std::string_view(text, static_cast<std::size_t>(bytes)) : std::string_view();
}

std::string_view SqliteRows::bytes(int column) const {
    if (!is_bytes(column)) return {};
    const auto* data = static_cast<const char*>(sqlite3_column_blob(statement_, column + 1));
    const int size = sqlite3_column_bytes(statement_, column + 1);
    return data ? std::string_view(data, static_cast<std::size_t>(size)) : std::string_view();
}

bool SqliteRows::is_text(int column) const {
    return sqlite3_column_type(statement_, column + 1) == SQLITE_TEXT;
}
bool SqliteRows::is_bytes(int column) const {
    return sqlite3_column_type(statement_, column + 1) == SQLITE_BLOB;
}
bool SqliteRows::is_real(int column) const {
    return sqlite3_column_type(statement_, column + 1) == SQLITE_FLOAT;
}

}  // namespace lanescope
