// Writes tables as text for people, and as CSV, JSON, Markdown and Arrow. All tables are written
// here.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/export/tables/column_unit.h"
#include "core/export/tables/text_grid.h"
#include "core/table/table.h"

namespace lanescope {

enum class TableFormat : uint8_t { text, csv, json, markdown, arrow };

// Parses "text", "csv", "json", "md", "arrow"; empty for other words.
std::optional<TableFormat> parse_table_format(std::string_view word);

// CSV and JSON contain plain values (times in ns); text and Markdown contain values with units.
// Every line ends with a newline. JSON replaces bytes that are not UTF-8. Arrow is binary: see
// arrow_file.h.
// Text has the most useful columns first, and leaves out those without any value. `sorted`: the
// column that rows are sorted by, whose values all have the same unit in text.
std::string write_table(const Table& table, TableFormat format, const TextStyle& style = {},
                        std::optional<std::size_t> sorted = {});

// Columns that texts and panels show in another way: a mark, an indentation, the shown name.
bool is_shown_elsewhere(const TableSpec& spec, std::size_t column);

// A column's title without the unit that its values show: "busy" for "busy_ns".
std::string head_for_people(const ColumnSpec& column);

// A value with its unit, for display; a dash if unknown. Printable.
std::string format_cell(const Cell& cell, Unit unit);
// A cell of a table, followed by "?" if its value is uncertain.
std::string format_cell(const Table& table, std::size_t row, std::size_t column);
std::string format_cell(const Table& table, std::size_t row, std::size_t column,
                        const ColumnUnit& unit);

}  // namespace lanescope
