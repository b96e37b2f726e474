// Declarations of tables and their columns. The command line, JSON, CSV, panels, docs and tests use
// these declarations.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace lanescope {

enum class ValueType : uint8_t { text, integer, real, integers };

// What a number counts or measures; determines its display. Data formats print plain numbers.
enum class Unit : uint8_t { none, count, nanoseconds, bytes, flop, ratio };

struct ColumnSpec {
    std::string_view name;  // the key in JSON and CSV: "busy_ns"
    ValueType type = ValueType::text;
    Unit unit = Unit::none;
    std::string_view null;  // meaning of a missing value; empty: never missing
    std::string_view definition;
    // Columns whose nonzero value says that no source confirmed the basis of this value. The
    // display shows a "?" after the value, and hides those columns.
    std::array<std::string_view, 2> doubts = {};
};

// Whether a column only marks other columns as uncertain.
bool is_doubt(std::span<const ColumnSpec> columns, std::string_view name);

struct TableSpec {
    std::string_view name;  // as `lanescope table NAME` takes it
    std::string_view about;
    std::span<const ColumnSpec> columns;
    std::string_view by = {};  // the variant of the table, as in --by; empty: the plain one
    // Rows form a tree in preorder; the column "depth" gives their depth. The column "path" has the
    // names of all ancestors, for readers of single rows.
    bool tree = false;
};

std::string_view value_type_name(
    ValueType type);                    // "text", "integer", "number", "list of integers"
std::string_view unit_name(Unit unit);  // "ns", "bytes", …; empty for texts

}  // namespace lanescope
