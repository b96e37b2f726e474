// Table: rows of plain values under the columns of a TableSpec, ready to be sorted, cut, shown and
// written. Kept by columns: a table of a million rows is no burden.
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

#include "core/analysis/columns.h"
#include "core/base/nanos.h"
#include "core/base/string_pool.h"
#include "core/trace/slice.h"

namespace lanescope {

// std::monostate is a value that is not known: null in JSON, empty in CSV, a dash for people.
// Texts and lists that a table gives live as long as it does.
using Cell =
    std::variant<std::monostate, int64_t, double, std::string_view, std::span<const int64_t>>;

// Where a row leads on the timeline: a slice, or else a range of absolute time, or neither.
struct RowTarget {
    SliceRef slice;
    TimeRange range;

    explicit operator bool() const { return slice || range.length() > 0; }
};

// Rows whose cells are worked out when they are looked at: of tables with a row for each event,
// which nobody reads whole. The functions may be called from several threads at once.
struct RowsOnDemand {
    std::vector<uint32_t> items;  // what each row tells of
    // Of an item, by column; in a column of texts nothing else. What a function gives lives as long
    // as it does.
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

    // Of tables that keep their cells: as many cells as there are columns, in their order, each of
    // its column's type or unknown; a column of texts takes numbers too. A number that is not
    // finite is unknown.
    void add_row(std::span<const Cell> cells, RowTarget target = {});
    void add_row(std::initializer_list<Cell> cells, RowTarget target = {}) {
        add_row(std::span<const Cell>(cells.begin(), cells.size()), target);
    }

    // Numbers from the largest, texts from A to Z; `reversed` turns both round. Unknown values
    // stand last. Rows that are equal keep their order.
    void sort_by(std::size_t column, bool reversed);
    void keep_first(std::size_t count);
    // The rows in the order that sort_by() would give.
    std::vector<uint32_t> sorted_rows(std::size_t column, bool reversed) const;
    // A table of some of the rows, in the order given.
    Table picked(std::span<const uint32_t> rows) const;
    // Rearranges, repeats or drops rows.
    void keep_rows(std::span<const uint32_t> rows);

  private:
    // One of the vectors is used, by the column's type.
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
    // A table of the same rows that keeps the cells of one column alone.
    Table with_kept(std::size_t column) const;

    const TableSpec* spec_;
    std::shared_ptr<const RowsOnDemand> demand_;  // null: cells are kept in the columns
    std::vector<uint32_t> items_;                 // by row, of demand_
    std::vector<Values> columns_;
    std::vector<RowTarget> targets_;
    StringPool texts_;
    std::vector<int64_t> list_values_;          // of all lists, one behind the other
    std::vector<std::size_t> list_ends_ = {0};  // list i ends at [i + 1]
    // Ids of texts and lists that came lately, since rows repeat those of a few: texts by where
    // they lay and how long they were, lists by their first number. What lies there is compared
    // first.
    std::vector<uint32_t> recent_texts_;
    std::vector<uint32_t> recent_lists_;
};

// The place of a column in the table, or nothing.
std::optional<std::size_t> find_column(const TableSpec& spec, std::string_view name);

// Rows of kColumnsTable for one table in all its forms, or for all when null. Of a form only the
// columns that the plain one lacks.
Table columns_table(const TableSpec* only);

}  // namespace lanescope
