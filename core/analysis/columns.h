// The column registry: every table's columns, declared once. The command line, JSON, CSV, panels,
// docs and tests are driven by it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace lanescope {

enum class ValueType : uint8_t { text, integer, real, integers };

// What a number counts or measures; decides how it is shown to people. Data formats print it as it
// is.
enum class Unit : uint8_t { none, count, nanoseconds, bytes, flop, ratio };

struct ColumnSpec {
    std::string_view name;  // the key in JSON and CSV: "busy_ns"
    ValueType type = ValueType::text;
    Unit unit = Unit::none;
    std::string_view null;  // what a missing value says; empty: never missing
    std::string_view definition;
    // Columns that tell, by another number than 0, that no source confirmed what the value comes
    // from. People see a "?" behind it, and of those columns nothing.
    std::array<std::string_view, 2> doubts = {};
};

// Whether a column tells nothing but doubts of others.
bool is_doubt(std::span<const ColumnSpec> columns, std::string_view name);

struct TableSpec {
    std::string_view name;  // as `lanescope table NAME` takes it
    std::string_view about;
    std::span<const ColumnSpec> columns;
    std::string_view by = {};  // the form of the table, as --by takes it; empty: the plain one
    // Rows stand inside of others, in the order of a tree: as deep as the column "depth" says. The
    // column "path" names all of them, for those who read a row alone.
    bool tree = false;
};

// All tables, the forms of one behind its plain one.
std::span<const TableSpec* const> all_tables();
// Null when there is no such table.
const TableSpec* find_table(std::string_view name, std::string_view by = {});

std::string_view value_type_name(
    ValueType type);                    // "text", "integer", "number", "list of integers"
std::string_view unit_name(Unit unit);  // "ns", "bytes", …; empty for texts

// The registry's own table: one row for each column of the table given, or of all.
extern const TableSpec kColumnsTable;

}  // namespace lanescope
