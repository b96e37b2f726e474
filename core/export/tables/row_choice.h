// Chooses the rows of a table and their order: --group-by, --sort, --reverse, --top.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/table/grouped.h"
#include "core/table/table.h"

namespace lanescope {

struct RowOptions {
    std::string group_by;  // one or two columns, separated by a comma
    std::string sort;
    bool reversed = false;
    std::size_t top = 0;  // 0: all rows
};

// The columns of the options in a table; an error if the table does not have them.
struct RowChoice {
    std::optional<std::size_t> sort;  // not of a grouped table
    Grouping grouping;                // empty `by`: the table is not grouped
};
Result<RowChoice> row_choice(const TableSpec& spec, const RowOptions& options);

// The chosen rows in their order. `form`: of a grouped table.
Table chosen_rows(Table table, const RowOptions& options, const RowChoice& choice, GroupRows form);

}  // namespace lanescope
