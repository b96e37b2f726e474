// Tables by name: their columns and rows, the index of their equalities, and how many of a range
// are kept.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>

#include "core/registry/tables.h"
#include "core/sql/connection.h"
#include "tests/core/ingest/loaded_text.h"
#include "tests/core/real_traces.h"
#include "tests/core/sql/sql_text.h"

namespace lanescope {

using namespace testing;

TEST_CASE("sql: a search in a table compares as the query says, also by an index") {
    std::string events;
    for (int i = 0; i < 40; ++i)
        events += fmt::format(
            R"({}{{"ph":"X","cat":"cpu_op","name":"{}","pid":1,"tid":1,"ts":{},"dur":5,"args":{{"External id":{}}}}})",
            i ? "," : "[", i % 4 ? "gemm" : "Gemm", 10 * i, i);
    const auto connection = connect(loaded(events + "]"));
    const std::string folded =
        "select count(*) from operator_call where name = 'GEMM' collate nocase";
    const std::string exact = "select count(*) from operator_call where name = 'Gemm'";
    for (int search = 0; search < 3; ++search) {  // the second one makes an index
        CAPTURE(search);
        CHECK(sql(*connection, exact) == "10\n");
        CHECK(sql(*connection, folded) == "40\n");
    }
    CHECK(sql(*connection,
              "select count(*) from (select 'GEMM' as name union all select 'gemm') a join "
              "operator_call o on a.name = o.name collate nocase") == "80\n");
    CHECK(sql(*connection,
              "select group_concat(name) from (select distinct name collate nocase as name from "
              "operator_call)") == "Gemm\n");
}

TEST_CASE("sql: every named table has the columns and rows of the registry") {
    const TracePtr trace = load_real_trace("synthetic_step.json.gz");
    REQUIRE(trace);
    const auto connection = connect(trace);
    const TraceContext context(trace);
    std::size_t rows = 0;
    for (const TableMaker& maker : table_makers()) {
        const std::string name = sql_name(maker.spec->name, maker.spec->by);
        CAPTURE(name);
        const Table table = maker.make(context, TableQuery());
        const auto text = try_sql(*connection, fmt::format("select * from {}", name));
        REQUIRE(text);
        std::string keys;
        for (const ColumnSpec& column : maker.spec->columns)
            keys += (keys.empty() ? "" : ",") + std::string(column.key);
        CHECK(text->substr(0, text->find('\n')) == keys);
        CHECK(sql(*connection, fmt::format("select count(*) from {}", name)) ==
              fmt::format("{}\n", table.row_count()));
        rows += table.row_count();
        if (maker.spec->by.empty()) continue;
        CHECK(*try_sql(*connection, fmt::format("select * from {}('{}')",
                                                sql_name(maker.spec->name), maker.spec->by)) ==
              *text);
    }
    CHECK(rows > 1000);
    CHECK(sql_error(*connection, "select * from kernels('nothing')") ==
          "kernels has no form 'nothing'; there are: name, config, family, instance, node");
    CHECK(sql_error(*connection, "select * from kernels_by_config('name')") ==
          "kernels_by_config has only the form 'config'");
    CHECK(sql_error(*connection, "select * from lanes('name')") ==
          "lanes has no forms: write lanes('', range)");
    CHECK(sql(*connection, "select * from kernels('name')") ==
          sql(*connection, "select * from kernels"));
    const auto given = [](std::string_view form) {
        return SqlParameters{{"1", std::string(form)}, {"2", "step:5"}};
    };
    CHECK(sql_error(*connection, "select * from kernels(?, ?)", given("config")) ==
          "the form of a table must be a text in the query, as in kernels('config'); only the "
          "range can be a parameter or a column");
    CHECK(sql(*connection, "select * from kernels(?, ?)", given("")) ==
          sql(*connection, "select * from kernels('', 'step:5')"));
    CHECK(!sql_error(*connection, "select * from kernels('', 'step:99999')").empty());
}

TEST_CASE("sql: a table of more ranges than are kept") {
    const TracePtr trace = load_real_trace("synthetic_step.json.gz");
    REQUIRE(trace);
    const auto connection = connect(trace);
    // The texts of a table must remain valid after tables of other ranges have replaced the table.
    const std::string query =
        "with recursive part(i) as (select 0 union all select i + 1 from part where i < 39) select "
        "max(k.name), min(k.name), count(*), sum(k.calls) from part, kernels('', '0us..' || (100 * "
        "i + 100) || 'us') k";
    int64_t rows = 0;
    int64_t calls = 0;
    for (int part = 0; part < 40; ++part) {
        const std::string one = sql(*connection, fmt::format("select count(*), ifnull(sum(calls), "
                                                             "0) from kernels('', '0us..{}us')",
                                                             100 * part + 100));
        rows += std::stoll(one);
        calls += std::stoll(one.substr(one.find(',') + 1));
    }
    CHECK(rows > 0);
    const std::string all = sql(*connection, query);
    CHECK(all.ends_with(fmt::format(",{},{}\n", rows, calls)));
    CHECK(sql(*connection, query) == all);
}

}  // namespace lanescope
