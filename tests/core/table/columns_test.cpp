#include "core/table/columns.h"

#include <doctest/doctest.h>

#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "core/export/tables/table_writer.h"
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
            CAPTURE(column.key);
            CHECK(columns.insert(column.key).second);
            CHECK(column.definition.ends_with("."));
        }
    }
    CHECK(find_table("no such table") == nullptr);
}

TEST_CASE("keys, units and types of columns agree") {
    for (const TableSpec* spec : all_tables()) {
        CAPTURE(spec->name);
        for (const ColumnSpec& column : spec->columns) {
            CAPTURE(column.key);
            CHECK(column.key.ends_with("_ns") == (column.unit == Unit::nanoseconds));
            const bool named_bytes =
                column.key.ends_with("_bytes") || column.key.starts_with("bytes");
            CHECK(named_bytes == (column.unit == Unit::bytes));
            const bool number = column.type == ValueType::integer || column.type == ValueType::real;
            if (column.unit != Unit::none) CHECK(number);
            if (column.unit == Unit::ratio) CHECK(column.type == ValueType::real);
            if (column.unit == Unit::count || column.unit == Unit::bytes)
                CHECK((column.type == ValueType::integer ||
                       column.aggregate.how == Aggregate::How::weighted_mean));
        }
    }
}

TEST_CASE("every column states an aggregate that suits it") {
    using How = Aggregate::How;
    for (const TableSpec* spec : all_tables()) {
        CAPTURE(spec->name);
        CAPTURE(spec->by);
        for (const ColumnSpec& column : spec->columns) {
            CAPTURE(column.key);
            const How how = column.aggregate.how;
            const bool number = column.type == ValueType::integer || column.type == ValueType::real;
            if (!number) CHECK((how == How::distinct || how == How::none));
            // Quantiles and deviations of groups cannot be combined by a sum or a mean.
            for (const std::string_view statistic : {"p25", "p50", "p75", "p90", "p99"})
                if (column.key.find(statistic) != std::string_view::npos) CHECK(how == How::none);
            for (const std::string_view statistic : {"sd_ns", "ci95_ns", "queue_sd", "drift"})
                if (column.key == statistic) CHECK(how == How::none);
            if (column.key.starts_with("mean") || column.key.ends_with("_mean_ns") ||
                column.key.ends_with("per_s") || column.key.ends_with("per_second"))
                CHECK((how == How::weighted_mean || how == How::none));
            if (column.key == "start_ns" || column.key.starts_with("min")) CHECK(how == How::min);
            if (column.key == "end_ns" || column.key.starts_with("max")) CHECK(how == How::max);
            // Rows of a tree contain the lost time of the rows below them.
            const bool is_nested = spec->tree && column.key == "lost_ns";
            if (is_nested)
                CHECK(how == How::none);
            else if (column.key == "calls" || column.key == "lost_ns")
                CHECK(how == How::sum);
            // The weights are another column of the table.
            CHECK((how == How::weighted_mean) == !column.aggregate.weight.empty());
            if (how != How::weighted_mean) continue;
            CHECK(column.aggregate.weight != column.key);
            const auto weight = find_column(*spec, column.aggregate.weight);
            REQUIRE(weight);
            CHECK(spec->columns[*weight].type != ValueType::text);
            CHECK(spec->columns[*weight].type != ValueType::integers);
        }
    }
}

TEST_CASE("a short name follows every name of a slice or kernel, and no other column") {
    // Names of steps and ranks never need a short form, unlike names of functions.
    const std::set<std::string_view> of_others = {"critical-path/", "models/step", "steps/",
                                                  "steps/breakdown", "ranks/"};
    std::size_t found = 0;
    for (const TableSpec* spec : all_tables()) {
        const std::string table = std::string(spec->name) + "/" + std::string(spec->by);
        CAPTURE(table);
        const auto name = find_column(*spec, "name");
        const auto short_name = find_column(*spec, "short_name");
        CHECK(short_name.has_value() == (name && !of_others.contains(table)));
        if (name && short_name) {
            CHECK(*short_name == *name + 1);
            ++found;
        }
    }
    CHECK(found >= 14);
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
