// IndexedTable: a table whose rows with a given value in a column are found without a scan.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/table/table.h"

namespace lanescope {

class IndexedTable {
  public:
    explicit IndexedTable(Table table) : table_(std::move(table)) {}

    const Table& table() const { return table_; }
    // The rows with this value, in ascending order. The column's values are sorted at the second
    // search; empty: look at all rows.
    std::optional<std::span<const uint32_t>> find(std::size_t column, const Cell& value);

    // All rows by ascending values, those without a value first. For columns of texts and whole
    // numbers.
    std::span<const uint32_t> ordered(std::size_t column);

  private:
    template <typename Value>
    struct Index {
        std::vector<Value> values;  // ascending
        std::vector<uint32_t> rows;
    };
    template <typename Value>
    Index<Value> make_index(std::size_t column) const;
    template <typename Value>
    std::span<const uint32_t> rows_with(std::map<std::size_t, Index<Value>>& indexes,
                                        std::size_t column, const Value& value) const;

    Table table_;
    std::map<std::size_t, int> searches_;  // by column
    std::map<std::size_t, std::vector<uint32_t>> orders_;
    std::map<std::size_t, Index<int64_t>> of_numbers_;
    std::map<std::size_t, Index<std::string_view>> of_texts_;
};

}  // namespace lanescope
