// Table-specific display settings. (Columns say themselves whether they are hidden at first.)
#pragma once

#include <string_view>

namespace lanescope {

struct TableLook {
    std::string_view table;
    std::string_view bar;        // the column with bars behind its numbers, relative to the largest
    std::string_view mean;       // the column that is shown with …
    std::string_view error;      // … followed by this error: "5.81 ± 0.06 µs"
    float min_name_width = 240;  // minimum of the first column, if the others need the space
};

// The default settings if the table has none of its own.
const TableLook& table_look(std::string_view table);

}  // namespace lanescope
