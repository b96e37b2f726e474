#include "core/export/tables/table_writer.h"

#include <doctest/doctest.h>

#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace lanescope {

namespace {

struct SampleRow {
    std::string name;
    std::vector<int64_t> grid;
    std::optional<int64_t> total;
    int64_t memory = 0;
    double share = 0;
};

constexpr auto kColumns = columns<SampleRow>({
    {{"name", Unit::none, kDistinct, "", "A name."},
     [](const SampleRow& row) { return std::string_view(row.name); }},
    {{"grid", Unit::none, kDistinct, "", "Three numbers."},
     [](const SampleRow& row) { return std::span<const int64_t>(row.grid); }},
    {{"total_ns", Unit::nanoseconds, kSum, "not measured", "A time."},
     [](const SampleRow& row) { return row.total; }},
    {{"memory_bytes", Unit::bytes, kSum, "", "A size."},
     [](const SampleRow& row) { return row.memory; }},
    {{"share", Unit::ratio, kNoAggregate, "", "A part."},
     [](const SampleRow& row) { return row.share; }},
});
constexpr TableOf<SampleRow> kSpec = {{"sample", "For tests."}, kColumns};

Table table_of(const std::vector<SampleRow>& rows) {
    TableBuilder table(kSpec);
    for (const SampleRow& row : rows) table.add(row);
    return table.take();
}

Table sample_table() {
    return table_of({{"void kernel<a, \"b\">|c", {8, 2, 1}, 9'007'199'254'740'993, 2048, 0.25},
                     {"x", {1, 1, 1}, std::nullopt, 0, 1.0}});
}

constexpr std::array<int64_t, 2> kList = {1, 2};

struct MaybeRow {
    bool known = false;

    template <typename Value>
    std::optional<Value> maybe(Value value) const {
        return known ? std::optional(value) : std::nullopt;
    }
};

std::vector<std::string> lines(const std::string& text) {
    std::vector<std::string> out;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) out.push_back(line);
    return out;
}

}  // namespace

TEST_CASE("JSON holds plain values: integers, null for unknown, arrays for lists") {
    const auto rows = nlohmann::json::parse(write_table(sample_table(), TableFormat::json));
    REQUIRE(rows.size() == 2);
    CHECK(rows[0]["name"] == "void kernel<a, \"b\">|c");
    CHECK(rows[0]["grid"] == nlohmann::json::array({8, 2, 1}));
    CHECK(rows[0]["total_ns"].is_number_integer());
    CHECK(rows[0]["total_ns"].get<int64_t>() == 9'007'199'254'740'993);
    CHECK(rows[0]["share"] == 0.25);
    CHECK(rows[1]["total_ns"].is_null());
    CHECK(nlohmann::json::parse(write_table(table_of({}), TableFormat::json)) ==
          nlohmann::json::array());
}

TEST_CASE("JSON stays valid for bytes that are not UTF-8") {
    const Table table = table_of({{"\xff\x01", {}, 1, 1, 0.0}});
    const auto rows = nlohmann::json::parse(write_table(table, TableFormat::json));
    CHECK(rows[0]["name"] == "\uFFFD\x01");
}

TEST_CASE("CSV quotes where needed, leaves unknown values empty, and prints integers in full") {
    const auto text = lines(write_table(sample_table(), TableFormat::csv));
    REQUIRE(text.size() == 3);
    CHECK(text[0] == "name,grid,total_ns,memory_bytes,share");
    CHECK(text[1] == "\"void kernel<a, \"\"b\"\">|c\",8 2 1,9007199254740993,2048,0.25");
    CHECK(text[2] == "x,1 1 1,,0,1");
}

TEST_CASE("Markdown aligns numbers right and escapes bars and tags") {
    const auto text = lines(write_table(sample_table(), TableFormat::markdown));
    REQUIRE(text.size() == 4);
    CHECK(text[0] == "| name | grid | total | memory | share |");
    CHECK(text[1] == "| --- | --- | ---: | ---: | ---: |");
    CHECK(text[2].find("kernel\\<a, \"b\">\\|c") != std::string::npos);
    CHECK(text[3] == "| x | 1 × 1 × 1 | – | 0 B | 100 % |");
}

TEST_CASE("text aligns numbers right under their titles, with units") {
    const auto text = lines(write_table(sample_table(), TableFormat::text));
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

TEST_CASE("names in text are short and stay readable beside many columns; full ones on request") {
    const Table table =
        table_of({{"void at::native::reduce_kernel_with_a_long_name<float, 4>(float*, int)",
                   {1, 1, 1},
                   1,
                   1,
                   0.5}});
    const auto shown = [&](int width, bool full_names = false) {
        return lines(write_table(table, TableFormat::text, {width, false, full_names}))[1];
    };
    CHECK(shown(0).starts_with("reduce_kernel_with_a_long_name<f32, 4>  "));
    CHECK(shown(0, true).starts_with("void at::native::"));
    CHECK(shown(0, true).find("(float*, int)") != std::string::npos);
    CHECK(shown(100).starts_with("reduce_kernel_with_a_long_name<f32, 4>"));
    CHECK(shown(66).starts_with("reduce_kernel_with_a_l…me<f32, 4>  "));
    CHECK(lines(write_table(table, TableFormat::csv))[1].starts_with("\"void at::native::"));
}

TEST_CASE("text is never wider than the terminal: texts are cut, then columns left out") {
    const Table table = table_of({{std::string(500, 'n'), {1024, 1, 1}, 123'456, 1, 0.5}});
    for (const int width : {200, 80, 60, 40, 20, 5, 1}) {
        CAPTURE(width);
        const auto text = lines(write_table(table, TableFormat::text, {width, false}));
        for (const std::string& line : text) {
            if (width >= 10) CHECK(terminal_width(line) <= static_cast<std::size_t>(width));
        }
        if (width >= 80) CHECK(text[1].ends_with("50.0 %"));
        if (width <= 40 && width >= 20) CHECK(text.back().find("more column") != std::string::npos);
    }
}

TEST_CASE("text says how many columns are left out, even if it is one") {
    const Table table = table_of({{"name", {1024, 1, 1}, 123'456, 1, 0.5}});
    std::set<std::string> notes;
    for (int width = 60; width > 25; --width) {
        const auto text = lines(write_table(table, TableFormat::text, {width, false}));
        const bool has_all = text[1].ends_with("50.0 %");
        CHECK(text.size() == (has_all ? 2 : 3));
        if (!has_all) notes.insert(text.back().substr(0, text.back().find(" more column")));
    }
    CHECK(notes.contains("1"));
    CHECK(notes.contains("2"));
}

TEST_CASE("a note names the columns that are left out, as many as fit, and the remedy") {
    const Table table = table_of({{"name", {1024, 1, 1}, 123'456, 1, 0.5}});
    const auto note = [&](int width) {
        const TextStyle style{width, false, false, "use csv"};
        return lines(write_table(table, TableFormat::text, style)).back();
    };
    CHECK(note(38) == "1 more column: share; use csv");
    CHECK(note(34) == "2 more columns: memory, …; use csv");
    CHECK(note(24) == "3 more columns: use csv");
}

TEST_CASE("text leaves out columns without a value, unless the table is empty or sorted by one") {
    const Table table = table_of({{"a", {}, std::nullopt, 1, 0.5}, {"b", {}, std::nullopt, 2, 0}});
    const auto head = [](const Table& shown, std::optional<std::size_t> sorted = {}) {
        return lines(write_table(shown, TableFormat::text, {}, sorted))[0];
    };
    CHECK(head(table).find("total") == std::string::npos);
    CHECK(head(table, 2).find("total") != std::string::npos);
    CHECK(head(table_of({})).find("total") != std::string::npos);
    for (const TableFormat format : {TableFormat::csv, TableFormat::json, TableFormat::markdown})
        CHECK(write_table(table, format).find("total") != std::string::npos);
}

TEST_CASE("text begins with the most useful columns; data keeps the order of declaration") {
    struct Row {
        int64_t value;
    };
    static constexpr auto value = [](const Row& row) { return row.value; };
    static constexpr auto kOrdered = columns<Row>({
        {{"first_column", Unit::none, kSum, "", "Stays.", Priority::detail}, value},
        {{"rare", Unit::none, kSum, "", "Rare.", Priority::detail}, value},
        {{"plain", Unit::none, kSum, "", "Plain."}, value},
        {{"useful", Unit::none, kSum, "", "Useful.", Priority::first}, value},
        {{"short_name", Unit::none, kSum, "", "Shown as the name."}, value},
    });
    static constexpr TableOf<Row> kTable = {{"ordered", "For tests."}, kOrdered};
    TableBuilder<Row> builder(kTable);
    builder.add({1});
    const Table table = builder.take();
    CHECK(lines(write_table(table, TableFormat::text))[0] == "first column  useful  plain  rare");
    CHECK(lines(write_table(table, TableFormat::csv))[0] ==
          "first_column,rare,plain,useful,short_name");
    CHECK(lines(write_table(table, TableFormat::markdown))[0] ==
          "| first column | rare | plain | useful | short name |");
}

TEST_CASE("text leaves out a column of zeros, and one that must differ but does not") {
    struct Row {
        int64_t device;
        int64_t cost;
    };
    static constexpr auto kPlaces = columns<Row>({
        {{"name", Unit::none, kDistinct, "", "A name."},
         [](const Row&) { return std::string_view("x"); }},
        {where_rows_differ({"device", Unit::none, kDistinct, "", "A device."}),
         [](const Row& row) { return row.device; }},
        {{"cost_ns", Unit::nanoseconds, kSum, "", "A cost."},
         [](const Row& row) { return row.cost; }},
    });
    static constexpr TableOf<Row> kTable = {{"places", "For tests."}, kPlaces};
    const auto head = [](std::initializer_list<Row> rows) {
        TableBuilder<Row> builder(kTable);
        for (const Row& row : rows) builder.add(row);
        return lines(write_table(builder.take(), TableFormat::text))[0];
    };
    CHECK(head({{1, 5}, {1, 0}}) == "name  cost");
    CHECK(head({{1, 5}, {2, 0}}) == "name  device  cost");
    CHECK(head({{1, 0}, {2, 0}}) == "name  device");
    CHECK(head({{1, 5}}) == "name  device  cost");
}

TEST_CASE("sentences wrap below each other instead of being cut") {
    struct Row {
        std::string_view note;
    };
    static constexpr auto kNotes = columns<Row>({
        {{"number", Unit::none, kDistinct, "", "A number."}, [](const Row&) { return 1; }},
        {{"text", Unit::none, kDistinct, "", "A sentence."},
         [](const Row& row) { return row.note; }},
    });
    static constexpr TableOf<Row> kTable = {{"notes", "For tests."}, kNotes};
    TableBuilder<Row> builder(kTable);
    builder.add({"The host waits here for the GPU, which copies weights."});
    builder.add({"Short."});
    const Table table = builder.take();
    CHECK(write_table(table, TableFormat::text, {50, false}) ==
          "number  text\n"
          "     1  The host waits here for the GPU, which\n"
          "        copies weights.\n"
          "     1  Short.\n");
}

TEST_CASE("a sorted column has one unit in text") {
    const Table table = table_of({{"a", {}, 12'345'678, 1, 0.5},
                                  {"b", {}, 98'765, 1, 0.5},
                                  {"c", {}, 40'000, 1, 0.5},
                                  {"d", {}, 0, 1, 0.5},
                                  {"e", {}, 3, 1, 0.5}});
    const auto text = write_table(table, TableFormat::text, {}, 2);
    for (const char* const cell : {"12\u2009345.7 µs", "98.8 µs", "40.0 µs", "0 µs", "< 0.1 µs"})
        CHECK(text.find(cell) != std::string::npos);
    CHECK(write_table(table, TableFormat::text).find("12.35 ms") != std::string::npos);
    CHECK(write_table(table, TableFormat::csv, {}, 2) == write_table(table, TableFormat::csv));
}

TEST_CASE("a tree is indented in text, and has columns for depth in other formats") {
    struct TreeRow {
        std::string_view name;
        std::string_view path;
        int64_t depth;
        int64_t calls;
    };
    static constexpr auto kTreeColumns = columns<TreeRow>({
        {{"name", Unit::none, kDistinct, "", "A name."},
         [](const TreeRow& row) { return row.name; }},
        {{"path", Unit::none, kDistinct, "", "All around it."},
         [](const TreeRow& row) { return row.path; }},
        {{"depth", Unit::count, kMax, "", "How many are around it."},
         [](const TreeRow& row) { return row.depth; }},
        {{"calls", Unit::count, kSum, "", "How often."},
         [](const TreeRow& row) { return row.calls; }},
    });
    static constexpr TableOf<TreeRow> kTree = {{"tree", "For tests.", {}, true}, kTreeColumns};
    TableBuilder builder(kTree);
    builder.add({"a", "a", 0, 5});
    builder.add({"b", "a/b", 1, 7});
    const Table table = builder.take();
    const auto text = lines(write_table(table, TableFormat::text));
    CHECK(text[0] == "name  calls");
    CHECK(text[1] == "a         5");
    CHECK(text[2] == "  b       7");
    CHECK(lines(write_table(table, TableFormat::csv))[2] == "b,a/b,1,7");
}

TEST_CASE("colour is only written when asked for") {
    CHECK(write_table(sample_table(), TableFormat::text).find('\x1b') == std::string::npos);
    CHECK(write_table(sample_table(), TableFormat::text, {0, true}).find("\x1b[1m") !=
          std::string::npos);
}

TEST_CASE("an unknown value stays unknown in every format, whatever the column's type") {
    static constexpr auto kMaybe = columns<MaybeRow>({
        {{"text", Unit::none, kDistinct, "unknown", "A text."},
         [](const MaybeRow& row) { return row.maybe(std::string_view("t")); }},
        {{"integer", Unit::none, kSum, "unknown", "An integer."},
         [](const MaybeRow& row) { return row.maybe(int64_t{3}); }},
        {{"real", Unit::none, kNoAggregate, "unknown", "A number."},
         [](const MaybeRow& row) { return row.maybe(0.5); }},
        {{"nan", Unit::none, kNoAggregate, "unknown", "A number."},
         [](const MaybeRow& row) { return row.known ? 0.25 : 0.0 / 0.0; }},
        {{"list", Unit::none, kNoAggregate, "unknown", "Integers."},
         [](const MaybeRow& row) { return row.maybe(std::span<const int64_t>(kList)); }},
    });
    static constexpr TableOf<MaybeRow> kTable = {{"maybe", "For tests."}, kMaybe};
    TableBuilder builder(kTable);
    builder.add({});
    builder.add({true});
    const Table kept = builder.take();
    static constexpr std::array kSource = {MaybeRow{}, MaybeRow{true}};
    const Table asked = table_on_demand(kTable, {0, 1}, [](uint32_t i) { return kSource[i]; });
    for (const Table* const table : {&kept, &asked}) {
        const auto csv = lines(write_table(*table, TableFormat::csv));
        CHECK(csv[1] == ",,,,");
        CHECK(csv[2].starts_with("t,3,0.5,0.25,"));
        const auto json = nlohmann::json::parse(write_table(*table, TableFormat::json));
        for (const auto& [key, value] : json[0].items()) CHECK(value.is_null());
        for (const auto& [key, value] : json[1].items()) CHECK_FALSE(value.is_null());
        CHECK(lines(write_table(*table, TableFormat::markdown))[2] == "| – | – | – | – | – |");
        const auto text = lines(write_table(*table, TableFormat::text));
        std::istringstream cells(text[1]);
        std::size_t dashes = 0;
        for (std::string cell; cells >> cell; ++dashes) CHECK(cell == "–");
        CHECK(dashes == 5);
    }
}

TEST_CASE("an empty table says that it is empty") {
    CHECK(write_table(table_of({}), TableFormat::text).ends_with("no rows\n"));
}

}  // namespace lanescope
