#include "core/table/columns.h"

#include <doctest/doctest.h>

#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "core/export/table_writer.h"
#include "core/registry/tables.h"

namespace lanescope {

TEST_CASE("tables have unique names, columns have unique names and definitions") {
    std::set<std::string> tables;
    for (const TableSpec* spec : all_tables()) {
        CAPTURE(spec->name);
        CHECK(tables.insert(std::string(spec->name) + "/" + std::string(spec->by)).second);
        CHECK(find_table(spec->name, spec->by) == spec);
        CHECK(find_table(spec->name) != nullptr);
        CHECK(spec->about.ends_with("."));
        std::set<std::string_view> columns;
        for (const ColumnSpec& column : spec->columns) {
            CAPTURE(column.name);
            CHECK(columns.insert(column.name).second);
            CHECK(column.definition.ends_with("."));
        }
    }
    CHECK(find_table("no such table") == nullptr);
}

TEST_CASE("the name of a column of times or sizes ends with its unit") {
    for (const TableSpec* spec : all_tables()) {
        for (const ColumnSpec& column : spec->columns) {
            CAPTURE(column.name);
            CHECK(column.name.ends_with("_ns") == (column.unit == Unit::nanoseconds));
            const bool named_bytes =
                column.name.ends_with("_bytes") || column.name.starts_with("bytes");
            CHECK(named_bytes == (column.unit == Unit::bytes));
        }
    }
}

TEST_CASE("docs/tables.md equals the registry") {
    std::ifstream file(LANESCOPE_ROOT "/docs/tables.md");
    std::stringstream text;
    text << file.rdbuf();
    const std::string wanted = write_table(columns_table(nullptr), TableFormat::markdown);
    CHECK_MESSAGE(text.str().find(wanted) != std::string::npos,
                  "replace the table in docs/tables.md by: lanescope columns --format md");
}

}  // namespace lanescope
