// SqlRows: the rows of a query, and the table of them.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/string_pool.h"
#include "core/table/table.h"

namespace lanescope {

class SqlRows {
  public:
    // `limit`: of memory, in bytes.
    explicit SqlRows(uint64_t limit) : limit_(limit) {}

    // Begins the result of a statement: drops what another statement returned.
    void begin(sqlite3_stmt* statement);
    // The rows that follow are those of this trace, whose name is the first column; those of
    // traces before are kept.
    void of_trace(std::string_view name);
    // Appends the current row. Errors: too much memory.
    Result<void> add(sqlite3_stmt* statement);
    std::size_t row_count() const { return rows_; }

    // A column is of whole numbers, of numbers, or of texts if one value is a text. Texts for
    // bytes are "x'00ff'".
    Table take();

  private:
    struct Column {
        std::string name;
        std::vector<uint8_t> kinds;    // SQLite's type of each value
        std::vector<int64_t> numbers;  // a number, the bits of a real, or the id of a text
    };
    class Source;

    void append(Column& column, uint8_t kind, int64_t number);
    void append(Column& column, sqlite3_stmt* statement, int index);

    uint64_t limit_;
    std::string trace_;
    bool has_trace_ = false;
    std::deque<Column> columns_;
    StringPool texts_;
    std::size_t rows_ = 0;
    std::size_t kept_ = 0;  // rows of the traces before
};

}  // namespace lanescope
