// SqliteFile: an SQLite database that another program wrote, opened for reading only and without
// trust. Only plain tables are read: no views, virtual tables or triggers.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/source/compressed.h"
#include "core/source/file.h"
#include "core/trace/schema.h"

struct sqlite3;
struct sqlite3_stmt;

namespace lanescope {

class SqliteVfs;

inline constexpr std::string_view kSqliteMagic = {"SQLite format 3\0", 16};

// A database as a file that can be read at any offset: `file` itself, or its inflated copy in an
// unnamed temporary file, which ends after the first `most` bytes. Errors: the text is damaged at
// its very beginning; there is no space for the copy; cancelled.
Result<std::shared_ptr<InputFile>> plain_database(const std::shared_ptr<InputFile>& file,
                                                  Compression compression,
                                                  const std::atomic<bool>* cancel,
                                                  uint64_t most = UINT64_MAX);

struct SqliteTable {
    std::string name;
    std::vector<std::string> columns;
    std::string key;    // the name under which SQLite has the number of a row; empty: none
    std::string alias;  // the column that is this number; empty: none

    bool has(std::string_view column) const;
};

// The rows of a table, in the order of the file. A text is valid until the next row. To be
// destroyed before its SqliteFile.
class SqliteRows {
  public:
    ~SqliteRows();
    SqliteRows(SqliteRows&& other) noexcept;
    SqliteRows& operator=(SqliteRows&&) = delete;
    SqliteRows(const SqliteRows&) = delete;
    SqliteRows& operator=(const SqliteRows&) = delete;

    // False after the last row that can be read, or when stopped.
    bool next();
    // Of lookup(): goes to the row with a number; false if there is none.
    bool seek(int64_t number);
    // Whether some rows cannot be read, or pages are reached twice; known after the last row.
    bool is_damaged() const { return is_damaged_; }
    int64_t row() const;  // the number of the row; 0 in a table without

    // The values of the chosen columns, by their place in the choice.
    bool is_null(int column) const;
    // A whole number; a value of another type, and no value, is `none`.
    int64_t number(int column, int64_t none = kNoValue) const;
    double real(int column) const;  // 0: no number
    std::string_view text(int column) const;
    std::string_view bytes(int column) const;  // a blob; valid until the next call
    bool is_text(int column) const;
    bool is_bytes(int column) const;
    bool is_real(int column) const;

  private:
    friend class SqliteFile;
    SqliteRows() = default;
    bool is_in_order();
    bool is_wanted() const;
    bool turn_back();

    sqlite3* database_ = nullptr;
    sqlite3_stmt* statement_ = nullptr;
    std::string backwards_;   // the statement that reads the rows behind the last one, last first
    uint64_t most_rows_ = 0;  // of a table without numbers of rows; 0: rows have numbers
    uint64_t rows_ = 0;       // of these that were read
    std::optional<int64_t> wanted_;  // the value of the last column
    int64_t last_ = INT64_MIN;
    bool has_last_ = false;
    bool is_turned_ = false;
    bool is_damaged_ = false;
    bool is_over_ = false;
};

class SqliteFile {
  public:
    // Errors: no database; its list of tables is damaged.
    static Result<std::unique_ptr<SqliteFile>> open(std::shared_ptr<InputFile> file);
    ~SqliteFile();
    SqliteFile(const SqliteFile&) = delete;
    SqliteFile& operator=(const SqliteFile&) = delete;

    std::span<const SqliteTable> tables() const { return tables_; }  // by name
    const SqliteTable* find(std::string_view table) const;
    // Its number in tables().
    uint32_t number_of(const SqliteTable& table) const {
        return static_cast<uint32_t>(&table - tables_.data());
    }

    // Columns that the table lacks have no value.
    SqliteRows rows(const SqliteTable& table, std::span<const std::string_view> columns) const;
    // Single rows by their numbers, with SqliteRows::seek().
    SqliteRows lookup(const SqliteTable& table, std::span<const std::string_view> columns) const;
    // The rows whose `column` has a value.
    SqliteRows rows_where(const SqliteTable& table, std::span<const std::string_view> columns,
                          std::string_view column, int64_t value) const;
    uint64_t count(const SqliteTable& table) const;

    // Asked from time to time while rows are read; true ends the reading.
    void stop_when(std::function<bool()> stop);
    uint64_t bytes_read() const;
    // The file ends before its last page.
    bool is_cut() const { return is_cut_; }
    // Names of files beside it that hold changes which are not read ("x.sqlite-wal").
    const std::vector<std::string>& unread_files() const { return unread_files_; }

  private:
    SqliteFile() = default;
    Result<void> connect();
    Result<void> list_tables();
    Result<void> find_tables();
    bool has_index_of_key(const std::string& table) const;
    void describe(SqliteTable& table) const;
    SqliteRows select(const SqliteTable& table, std::span<const std::string_view> columns,
                      const std::string& rest, bool may_turn) const;

    std::shared_ptr<InputFile> file_;
    std::unique_ptr<SqliteVfs> vfs_;
    sqlite3* database_ = nullptr;
    std::vector<SqliteTable> tables_;
    std::function<bool()> stop_;
    bool is_cut_ = false;
    std::vector<std::string> unread_files_;
};

}  // namespace lanescope
