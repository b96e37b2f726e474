// Table: rows of plain values under the columns of a TableSpec, which can be sorted, filtered,
// displayed and written. Stored by columns, so that a million rows are no problem.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/nanos.h"
#include "core/base/string_pool.h"
#include "core/table/columns.h"
#include "core/trace/slice.h"

namespace lanescope {

// std::monostate is an unknown value: null in JSON, empty in CSV, a dash on screen. Texts and lists
// returned by a table are valid as long as the table.
using Cell =
    std::variant<std::monostate, int64_t, double, std::string_view, std::span<const int64_t>>;

// Where a row leads on the timeline: a slice, a range of absolute time, or nowhere.
struct RowTarget {
    SliceRef slice;
    TimeRange range;

    explicit operator bool() const { return slice || range.length() > 0; }
};

// Rows whose cells are computed when they are read, for tables with a row for each event, which are
// rarely read completely. The functions must be thread-safe.
struct RowsOnDemand {
    std::vector<uint32_t> items;  // what each row tells of
    // The cell of an item, by column; text columns return only texts. Results are valid as long as
    // the function.
    std::vector<std::function<Cell(uint32_t item)>> cells;
    std::function<RowTarget(uint32_t item)> target;
};

class Table {
  public:
    explicit Table(const TableSpec& spec);
    Table(const TableSpec& spec, RowsOnDemand rows);

    const TableSpec& spec() const { return *spec_; }
    std::size_t column_count() const { return columns_.size(); }
    std::size_t row_count() const { return demand_ ? items_.size() : targets_.size(); }
    Cell cell(std::size_t row, std::size_t column) const;
    RowTarget target(std::size_t row) const {
        return demand_ ? demand_->target(items_[row]) : targets_[row];
    }

    // For tables that store their cells: one cell for each column in order, of the column's type or
    // unknown; text columns accept numbers too. A number that is not finite is unknown.
    void add_row(std::span<const Cell> cells, RowTarget target = {});
    void add_row(std::initializer_list<Cell> cells, RowTarget target = {}) {
        add_row(std::span<const Cell>(cells.begin(), cells.size()), target);
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
    // The column's type determines which vector is used.
    struct Values {
        ValueType type = ValueType::text;
        std::vector<int64_t> integers;  // kUnknownInteger: unknown
        std::vector<double> reals;      // NaN: unknown
        std::vector<uint32_t> ids;      // of texts_ or lists_; kUnknownId: unknown
    };
    static constexpr int64_t kUnknownInteger = INT64_MIN;
    static constexpr uint32_t kUnknownId = ~uint32_t{0};

    void add_value(Values& values, const Cell& cell);
    uint32_t id_of(std::string_view text);
    uint32_t id_of(std::span<const int64_t> list);
    std::span<const int64_t> list(uint32_t id) const {
        return std::span(list_values_).subspan(list_ends_[id], list_ends_[id + 1] - list_ends_[id]);
    }

    std::vector<uint32_t> order_of(std::size_t column, bool reversed) const;
    // A table of the same rows that stores the cells of one column only.
    Table with_kept(std::size_t column) const;

    const TableSpec* spec_;
    std::shared_ptr<const RowsOnDemand> demand_;  // null: cells are stored in the columns
    std::vector<uint32_t> items_;                 // by row, of demand_
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

// The index of a column in the table; empty if there is none.
std::optional<std::size_t> find_column(const TableSpec& spec, std::string_view name);

}  // namespace lanescope
