// Table: rows of plain values under the columns of a TableSpec, ready to be sorted, cut and
// written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/analysis/columns.h"

namespace lanescope {

// std::monostate is a value that is not known: null in JSON, empty in CSV, a dash for people.
using Cell = std::variant<std::monostate, int64_t, double, std::string, std::vector<int64_t>>;

class Table {
  public:
    explicit Table(const TableSpec& spec) : spec_(&spec) {}

    const TableSpec& spec() const { return *spec_; }
    std::size_t column_count() const { return spec_->columns.size(); }
    std::size_t row_count() const { return rows_.size(); }
    std::span<const Cell> row(std::size_t i) const { return rows_[i]; }

    // As many cells as there are columns, in their order.
    void add_row(std::vector<Cell> cells) { rows_.push_back(std::move(cells)); }

    // Numbers from the largest, texts from A to Z; `reversed` turns both round. Unknown values
    // stand last. Rows that are equal keep their order.
    void sort_by(std::size_t column, bool reversed);
    void keep_first(std::size_t count);

  private:
    const TableSpec* spec_;
    std::vector<std::vector<Cell>> rows_;
};

// The place of a column in the table, or nothing.
std::optional<std::size_t> find_column(const TableSpec& spec, std::string_view name);

// Rows of kColumnsTable for one table, or for all when null.
Table columns_table(const TableSpec* only);

}  // namespace lanescope
