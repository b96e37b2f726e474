#include "core/export/table_writer.h"

#include <doctest/doctest.h>

#include <array>
#include <nlohmann/json.hpp>
#include <sstream>

namespace lanescope {

namespace {

constexpr std::array kColumns = {
    ColumnSpec{"name", ValueType::text, Unit::none, "", "A name."},
    ColumnSpec{"grid", ValueType::integers, Unit::none, "", "Three numbers."},
    ColumnSpec{"total_ns", ValueType::integer, Unit::nanoseconds, "not measured", "A time."},
    ColumnSpec{"memory_bytes", ValueType::integer, Unit::bytes, "", "A size."},
    ColumnSpec{"share", ValueType::real, Unit::ratio, "", "A part."},
};
const TableSpec kSpec = {"sample", "For tests.", kColumns};

Table sample() {
    Table table(kSpec);
    table.add_row({std::string("void kernel<a, \"b\">|c"), std::vector<int64_t>{8, 2, 1},
                   int64_t{9'007'199'254'740'993}, int64_t{2048}, 0.25});
    table.add_row({std::string("x"), std::vector<int64_t>{1, 1, 1}, Cell(), int64_t{0}, 1.0});
    return table;
}

std::vector<std::string> lines(const std::string& text) {
    std::vector<std::string> out;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) out.push_back(line);
    return out;
}

}  // namespace

TEST_CASE("JSON holds plain values: integers, null for unknown, arrays for lists") {
    const auto rows = nlohmann::json::parse(write_table(sample(), TableFormat::json));
    REQUIRE(rows.size() == 2);
    CHECK(rows[0]["name"] == "void kernel<a, \"b\">|c");
    CHECK(rows[0]["grid"] == nlohmann::json::array({8, 2, 1}));
    CHECK(rows[0]["total_ns"].is_number_integer());
    CHECK(rows[0]["total_ns"].get<int64_t>() == 9'007'199'254'740'993);
    CHECK(rows[0]["share"] == 0.25);
    CHECK(rows[1]["total_ns"].is_null());
    CHECK(nlohmann::json::parse(write_table(Table(kSpec), TableFormat::json)) ==
          nlohmann::json::array());
}

TEST_CASE("JSON stays valid for bytes that are not UTF-8") {
    Table table(kSpec);
    table.add_row({std::string("\xff\x01"), std::vector<int64_t>{}, int64_t{1}, int64_t{1}, 0.0});
    const auto rows = nlohmann::json::parse(write_table(table, TableFormat::json));
    CHECK(rows[0]["name"] == "\uFFFD\x01");
}

TEST_CASE("CSV quotes where needed, leaves unknown values empty, and prints integers in full") {
    const auto text = lines(write_table(sample(), TableFormat::csv));
    REQUIRE(text.size() == 3);
    CHECK(text[0] == "name,grid,total_ns,memory_bytes,share");
    CHECK(text[1] == "\"void kernel<a, \"\"b\"\">|c\",8 2 1,9007199254740993,2048,0.25");
    CHECK(text[2] == "x,1 1 1,,0,1");
}

TEST_CASE("Markdown aligns numbers right and escapes bars") {
    const auto text = lines(write_table(sample(), TableFormat::markdown));
    REQUIRE(text.size() == 4);
    CHECK(text[0] == "| name | grid | total | memory | share |");
    CHECK(text[1] == "| --- | --- | ---: | ---: | ---: |");
    CHECK(text[2].find("\\|c") != std::string::npos);
    CHECK(text[3] == "| x | 1 × 1 × 1 | – | 0 B | 100 % |");
}

TEST_CASE("text aligns numbers right under their titles, with units") {
    const auto text = lines(write_table(sample(), TableFormat::text));
    REQUIRE(text.size() == 3);
    CHECK(text[0].starts_with("name "));
    CHECK(text[0].ends_with("share"));
    for (const std::string& line : text) CHECK(terminal_width(line) == terminal_width(text[0]));
    CHECK(text[1].find("2 KiB") != std::string::npos);
    CHECK(text[1].ends_with("25.0 %"));
}

TEST_CASE("a number in text has at most four decimals") {
    const auto text_of = [](double x) { return format_cell(Cell(x), Unit::none); };
    CHECK(text_of(0) == "0");
    CHECK(text_of(0.98354) == "0.9835");
    CHECK(text_of(0.0009952) == "0.001");
    CHECK(text_of(0.0001) == "0.0001");
    CHECK(text_of(0.0000107) == "< 0.0001");
    CHECK(text_of(-0.0000107) == "> -0.0001");
    CHECK(text_of(-0.25) == "-0.25");
    CHECK(text_of(12.3456) == "12.35");
    CHECK(format_cell(Cell(0.0000107), Unit::nanoseconds) != "< 0.0001");
}

TEST_CASE("on a terminal, names are shortened but stay readable beside many columns") {
    Table table(kSpec);
    table.add_row({"void at::native::reduce_kernel_with_a_long_name<float, 4>(float*, int)",
                   std::vector<int64_t>{1, 1, 1}, int64_t{1}, int64_t{1}, 0.5});
    const auto shown = [&](int width) {
        return lines(write_table(table, TableFormat::text, {width, false}))[1];
    };
    CHECK(shown(0).starts_with("void at::native::"));
    CHECK(shown(100).starts_with("reduce_kernel_with_a_long_name<float, 4>"));
    CHECK(shown(66).starts_with("reduce_kernel_with_a_lo"));
    CHECK(lines(write_table(table, TableFormat::csv))[1].starts_with("\"void at::native::"));
}

TEST_CASE("text is never wider than the terminal: texts are cut, then columns left out") {
    Table table(kSpec);
    table.add_row({std::string(500, 'n'), std::vector<int64_t>{1024, 1, 1}, int64_t{123'456},
                   int64_t{1}, 0.5});
    for (const int width : {200, 80, 60, 40, 20, 5, 1}) {
        CAPTURE(width);
        const auto text = lines(write_table(table, TableFormat::text, {width, false}));
        for (const std::string& line : text) {
            if (width >= 10) CHECK(terminal_width(line) <= static_cast<std::size_t>(width));
        }
        if (width >= 60) CHECK(text[1].ends_with("50.0 %"));
        if (width <= 40 && width >= 20) CHECK(text.back().find("more column") != std::string::npos);
    }
}

TEST_CASE("a tree is indented in text, and has columns for depth in other formats") {
    constexpr std::array columns = {
        ColumnSpec{"name", ValueType::text, Unit::none, "", "A name."},
        ColumnSpec{"path", ValueType::text, Unit::none, "", "All around it."},
        ColumnSpec{"depth", ValueType::integer, Unit::count, "", "How many are around it."},
        ColumnSpec{"calls", ValueType::integer, Unit::count, "", "How often."},
    };
    const TableSpec tree = {"tree", "For tests.", columns, {}, true};
    Table table(tree);
    table.add_row({std::string("a"), std::string("a"), int64_t{0}, int64_t{5}});
    table.add_row({std::string("b"), std::string("a/b"), int64_t{1}, int64_t{7}});
    const auto text = lines(write_table(table, TableFormat::text));
    CHECK(text[0] == "name  calls");
    CHECK(text[1] == "a         5");
    CHECK(text[2] == "  b       7");
    CHECK(lines(write_table(table, TableFormat::csv))[2] == "b,a/b,1,7");
}

TEST_CASE("colour is only written when asked for") {
    CHECK(write_table(sample(), TableFormat::text).find('\x1b') == std::string::npos);
    CHECK(write_table(sample(), TableFormat::text, {0, true}).find("\x1b[1m") != std::string::npos);
}

TEST_CASE("an empty table says that it is empty") {
    CHECK(write_table(Table(kSpec), TableFormat::text).ends_with("no rows\n"));
}

}  // namespace lanescope
