// Tables as text for people, and as CSV, JSON and Markdown. The only place where tables are
// written.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/analysis/table.h"
#include "core/export/text_grid.h"

namespace lanescope {

enum class TableFormat : uint8_t { text, csv, json, markdown };

// "text", "csv", "json", "md"; nothing for other words.
std::optional<TableFormat> parse_table_format(std::string_view word);

// CSV and JSON hold plain values (times in ns); text and Markdown hold them with units, as people
// read them. Every line ends with a line end. JSON replaces bytes that are no UTF-8.
std::string write_table(const Table& table, TableFormat format, const TextStyle& style = {});

// A column's head for people: without the unit that its values show, "busy" for "busy_ns".
std::string head_for_people(const ColumnSpec& column);

// A value with its unit, as shown to people; a dash when unknown. Printable.
std::string format_cell(const Cell& cell, Unit unit);
// One of a table, with a "?" behind it where it is uncertain.
std::string format_cell(const Table& table, std::size_t row, std::size_t column);

}  // namespace lanescope
