// Table: rows of plain values under the columns of a TableSpec, which can be sorted, filtered,
// displayed and written. Stored by columns, so that a million rows are no problem.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/string_pool.h"
#include "core/table/columns.h"

namespace lanescope {

// Rows whose cells are computed when they are read, for tables with a row for each event, which are
// rarely read completely. Thread-safe.
class RowSource {
  public:
    RowSource() = default;
    RowSource(const RowSource&) = delete;
    RowSource& operator=(const RowSource&) = delete;
    virtual ~RowSource() = default;

    // Texts and lists are valid as long as the source.
    virtual Cell cell(uint32_t item, std::size_t column) const = 0;
    virtual RowTarget place(uint32_t item) const = 0;
};

class Table {
  public:
    // See TableBuilder and table_on_demand().
    Table(const TableSpec& spec, std::vector<uint32_t> items,
          std::shared_ptr<const RowSource> source);

    const TableSpec& spec() const { return *spec_; }
    std::size_t column_count() const { return columns_.size(); }
    std::size_t row_count() const { return source_ ? items_.size() : targets_.size(); }
    Cell cell(std::size_t row, std::size_t column) const;
    // Whether people learn anything from the column: a row has a value other than 0 and "unknown"
    // and, in columns of Priority::differing, rows differ.
    bool is_informative(std::size_t column) const;
    RowTarget target(std::size_t row) const {
        return source_ ? source_->place(items_[row]) : targets_[row];
    }

    // Numbers descending, texts from A to Z; `reversed` inverts both. Unknown values come last.
    // Stable.
    void sort_by(std::size_t column, bool reversed);
    void keep_first(std::size_t count);
    // The rows in the order of sort_by().
    std::vector<uint32_t> sorted_rows(std::size_t column, bool reversed) const;
    // A table of some of the rows, in the given order.
    Table picked(std::span<const uint32_t> rows) const;
    // Rearranges, repeats or drops rows.
    void keep_rows(std::span<const uint32_t> rows);

  private:
    template <typename Row>
    friend class TableBuilder;

    // The column's type determines which vector is used.
    struct Values {
        ValueType type = ValueType::text;
        std::vector<int64_t> integers;  // kUnknownInteger: unknown
        std::vector<double> reals;      // NaN: unknown
        std::vector<uint32_t> ids;      // of texts_ or lists_; kUnknownId: unknown
    };
    static constexpr int64_t kUnknownInteger = INT64_MIN;
    static constexpr uint32_t kUnknownId = ~uint32_t{0};

    explicit Table(const TableSpec& spec);
    void add_value(std::size_t column, const Cell& cell);
    uint32_t id_of(std::string_view text);
    uint32_t id_of(std::span<const int64_t> list);
    std::span<const int64_t> list(uint32_t id) const {
        return std::span(list_values_).subspan(list_ends_[id], list_ends_[id + 1] - list_ends_[id]);
    }

    std::vector<uint32_t> order_of(std::size_t column, bool reversed) const;
    // A table of the same rows that stores the cells of one column only.
    Table with_kept(std::size_t column) const;

    const TableSpec* spec_;
    std::shared_ptr<const RowSource> source_;  // null: cells are stored in the columns
    std::vector<uint32_t> items_;              // by row, of source_
    std::vector<Values> columns_;
    std::vector<RowTarget> targets_;
    StringPool texts_;
    std::vector<int64_t> list_values_;          // of all lists, in sequence
    std::vector<std::size_t> list_ends_ = {0};  // list i ends at [i + 1]
    // Ids of recent texts and lists, since rows repeat a few of them: texts by address and length,
    // lists by their first number. A hit is verified by comparing the contents.
    std::vector<uint32_t> recent_texts_;
    std::vector<uint32_t> recent_lists_;
};

// Makes a table that stores its cells.
template <typename Row>
class TableBuilder {
  public:
    explicit TableBuilder(const TableOf<Row>& declaration)
        : declaration_(&declaration), table_(declaration) {}

    void add(const Row& row) {
        for (std::size_t c = 0; c < declaration_->cells.size(); ++c)
            table_.add_value(c, declaration_->cells[c](row));
        table_.targets_.push_back(declaration_->place ? declaration_->place(row) : RowTarget());
    }
    Table take() { return std::move(table_); }

  private:
    const TableOf<Row>* declaration_;
    Table table_;
};

// A table of the rows `row_of(item)`, which are computed when they are read. A cell's text or list
// must not be part of the row: it must live as long as `row_of`, which the table keeps.
template <typename Row, typename RowOf>
Table table_on_demand(const TableOf<Row>& declaration, std::vector<uint32_t> items, RowOf row_of) {
    class Source final : public RowSource {
      public:
        Source(const TableOf<Row>& table, RowOf rows)
            : declaration_(table), row_of_(std::move(rows)) {}

        Cell cell(uint32_t item, std::size_t column) const override {
            return declaration_.cells[column](row_of_(item));
        }
        RowTarget place(uint32_t item) const override {
            return declaration_.place ? declaration_.place(row_of_(item)) : RowTarget();
        }

      private:
        const TableOf<Row>& declaration_;
        RowOf row_of_;
    };
    return Table(declaration, std::move(items),
                 std::make_shared<const Source>(declaration, std::move(row_of)));
}

// The index of a column in the table; empty if there is none.
std::optional<std::size_t> find_column(const TableSpec& spec, std::string_view key);

}  // namespace lanescope
