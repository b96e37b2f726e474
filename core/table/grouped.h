// Groups the rows of any table by one or two of its columns. The values of a group follow from the
// aggregates that columns declare.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/table/table.h"

namespace lanescope {

struct Grouping {
    std::vector<std::size_t> by = {};  // columns of the table: of groups, and of groups in them
    // The key of the column that groups are sorted by, of a grouped table; kGroupKey: by the values
    // in `by`. Empty: the largest group first, by the first column of times that are added up, or
    // if there is none by the number of rows.
    std::string sort = {};
    bool reversed = false;
    std::size_t top = 0;  // so many groups, not counting groups in them; 0: all

    friend bool operator==(const Grouping&, const Grouping&) = default;
};

enum class GroupRows : uint8_t {
    flat,    // one row for each innermost group, with a column for each of Grouping::by
    groups,  // a tree: groups, and groups in them
    all,     // a tree whose innermost rows are those of the table
};

inline constexpr std::string_view kGroupKey = "groups";  // sorts by the values in `by`
inline constexpr std::string_view kRowsKey = "rows";     // the column with the number of rows

// The columns of flat(): a column for each of `by`, the number of rows, then the other columns.
std::vector<ColumnSpec> grouped_columns(const TableSpec& spec, std::span<const std::size_t> by);

// Groups the given rows of a table. In trees the first column names the group; `name_of` formats
// values that are not texts. Missing values form a group of their own. The result keeps the table
// alive.
using NameOfValue = std::string (*)(const Cell& cell, Unit unit);
Table grouped(const std::shared_ptr<const Table>& table, std::span<const uint32_t> rows,
              const Grouping& grouping, GroupRows form, NameOfValue name_of);

}  // namespace lanescope
