#include "core/export/tables/shown_name.h"

#include "core/export/words/terminal_text.h"
#include "core/table/cells.h"
#include "core/trace/short_name.h"

namespace lanescope {

std::string shown_name(const Table& table, std::size_t row, std::size_t column,
                       std::string_view text) {
    if (table.spec().columns[column].is_prose) return printable(text);
    if (table.spec().columns[column].key == "name")
        if (const auto brief = find_column(table.spec(), kShortNameKey))
            if (const Cell cell = table.cell(row, *brief);
                std::holds_alternative<std::string_view>(cell))
                return printable(std::get<std::string_view>(cell));
    return compact_name(text);
}

}  // namespace lanescope
