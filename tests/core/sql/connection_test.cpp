#include "core/sql/connection.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <string>
#include <thread>

#include "core/sql/tables.h"
#include "tests/core/sql/sql_text.h"
#include "tests/core/trace_maker.h"

namespace lanescope {

using namespace testing;

namespace {

TracePtr small_trace() {
    TraceMaker maker;
    maker.process("1", "python");
    maker.lane({{{1000, 100, "a"}, {1200, 50, "b"}, {1300, 20, "a"}}});
    return maker.finish();
}

constexpr const char* kEndless =
    "with recursive n(x) as (select 1 union all select x + 1 from n) select count(*) from n";

}  // namespace

TEST_CASE("sql: nothing but temporary tables can be written") {
    const auto connection = connect(small_trace());
    const std::string file =
        (std::filesystem::temp_directory_path() / "lanescope_sql_test.db").string();
    for (const std::string& script :
         {std::string("insert into slice values (1,2,3,4,5,6,7,8,9)"),
          std::string("delete from slice"),
          std::string("update slice set ts = 0"),
          std::string("drop table slice"),
          fmt::format("attach '{}' as x", file),
          fmt::format("vacuum into '{}'", file),
          std::string("detach main"),
          std::string("select load_extension('x')"),
          std::string("pragma writable_schema = 1"),
          std::string("pragma temp_store_directory = '/tmp'"),
          std::string("pragma journal_mode"),
          std::string("create table main.x(a)"),
          std::string("begin"),
          std::string("analyze"),
          std::string("create virtual table x using fts5(a)"),
          std::string("create virtual table x using dbstat"),
          std::string("create temp trigger x after insert on y begin select 1; end"),
          std::string("insert into sqlite_master values (1,2,3,4,5)"),
          std::string("create temp table t(a); alter table t rename to u"),
          std::string("/**/create/**/table/**/main.y/**/as select 1"),
          std::string("create view main.z as select 1"),
          std::string("select fts3_tokenizer('simple')")}) {
        CAPTURE(script);
        CHECK(!sql_error(*connection, script).empty());
    }
    CHECK(!std::filesystem::exists(file));
    CHECK(sql_error(*connection, fmt::format("attach '{}' as x", file)) ==
          "a query cannot attach files");
    CHECK(sql(*connection, "select count(*) from slice") == "3\n");
    CHECK(sql(*connection, "select count(*) from main.sqlite_master where name = 'x'") == "0\n");
}

TEST_CASE("sql: temporary tables, views and indexes are written in memory") {
    const auto connection = connect(small_trace());
    CHECK(sql(*connection,
              "create table t as select name, dur from slice; insert into t values ('c', 7); "
              "create index i on t(name); update t set dur = dur + 1 where name = 'c'; delete from "
              "t where name = 'b'; select * from t order by 1, 2") == "a,20\na,100\nc,8\n");
    CHECK(sql(*connection, "create view v as select sum(dur) as s from t; select * from v") ==
          "128\n");
    CHECK(sql(*connection,
              "create or replace perfetto table t as select 1 as x; select x from t; "
              "drop table t") == "1\n");
    CHECK(sql_error(*connection, "select * from t") == "no such table: t");
    CHECK(sql(*connection,
              "create perfetto table if not exists u as select 1 as x; create perfetto table if "
              "not exists u as select 2 as x; select x from u") == "1\n");
}

TEST_CASE("sql: a query ends when it is cancelled, takes too long or needs too much memory") {
    SqlOptions timed;
    timed.timeout = std::chrono::milliseconds(50);
    const auto connection = connect(small_trace(), timed);
    CHECK(sql_error(*connection, kEndless) == "the query took too long");
    CHECK(sql(*connection, "select count(*) from slice") == "3\n");

    std::atomic<bool> cancel{false};
    SqlOptions stopped;
    stopped.cancel = &cancel;
    const auto other = connect(small_trace(), stopped);
    std::thread watcher([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        cancel = true;
    });
    const Result<std::string> result = try_sql(*other, kEndless);
    watcher.join();
    REQUIRE_FALSE(result);
    CHECK(result.error().code == ErrorCode::cancelled);
    CHECK(result.error().text == "the query was cancelled");

    SqlOptions little;
    little.memory_bytes = 20 << 20;
    const auto third = connect(small_trace(), little);
    CHECK(sql_error(*third,
                    "create table big as with recursive n(x) as (select 1 union all select "
                    "x + 1 from n) select x, hex(randomblob(500)) from n") ==
          "the query needs more than 20 MiB");
    CHECK(sql_error(*third,
                    "with recursive n(x) as (select 1 union all select x + 1 from n) select "
                    "x, hex(randomblob(500)) as y from n order by y")
              .find("20 MiB") != std::string::npos);
    CHECK(sql_error(*third, "select zeroblob(100000000)").find("20 MiB") != std::string::npos);
    CHECK(sql_error(*third,
                    "with recursive n(x) as (select 1 union all select x + 1 from n limit 3000000) "
                    "select median(x) from n") == "the query needs more than 20 MiB");
    const auto usual = connect(small_trace());
    CHECK(sql(*usual, "select length(zeroblob(30000000))") == "30000000\n");
}

TEST_CASE("sql: the limit of memory ends with the query and counts what a connection keeps") {
    const sqlite3_int64 hard = sqlite3_hard_heap_limit64(-1);
    const sqlite3_int64 soft = sqlite3_soft_heap_limit64(-1);
    SqlOptions little;
    little.memory_bytes = 20 << 20;
    const auto connection = connect(small_trace(), little);
    const std::string rows =
        " as with recursive n(x) as (select 1 union all select x + 1 from n limit 10000) select x, "
        "hex(randomblob(500)) as y from n";  // about 10 MiB
    sql(*connection, "create table first" + rows);
    CHECK(sqlite3_hard_heap_limit64(-1) == hard);
    CHECK(sqlite3_soft_heap_limit64(-1) == soft);
    CHECK(sql_error(*connection, "create table second" + rows + "; create table third" + rows) ==
          "the query needs more than 20 MiB");
    CHECK(sql_error(*connection, "create table fourth" + rows + "; create table fifth" + rows) ==
          "the query needs more than 20 MiB");

    // If the process had its own limits, both are restored.
    constexpr sqlite3_int64 kSoft = 200 << 20;
    constexpr sqlite3_int64 kHard = 400 << 20;
    sqlite3_hard_heap_limit64(kHard);
    sqlite3_soft_heap_limit64(kSoft);
    sql(*connection, "select 1");
    CHECK(sqlite3_hard_heap_limit64(-1) == kHard);
    CHECK(sqlite3_soft_heap_limit64(-1) == kSoft);
    sqlite3_hard_heap_limit64(hard);
    sqlite3_soft_heap_limit64(soft);

    // The limit of one query limits neither other queries nor other users of SQLite.
    SqlOptions large;
    const auto other = connect(small_trace(), large);
    std::atomic<bool> done{false};
    std::thread beside([&] {
        while (!done) sql(*connection, "select 1");
    });
    CHECK(sql(*other, "select length(hex(zeroblob(30000000)))") == "60000000\n");
    done = true;
    beside.join();
    CHECK(sqlite3_hard_heap_limit64(-1) == hard);
    void* const elsewhere = sqlite3_malloc64(40 << 20);
    CHECK(elsewhere);
    sqlite3_free(elsewhere);
}

TEST_CASE("sql: names of tables, columns and functions") {
    const auto connection = connect(small_trace());
    sql(*connection, "CREATE PERFETTO TABLE mine AS select 1 as first, 2 as second");
    const std::vector<SqlTableName> tables = connection->table_names();
    const auto columns = [&](std::string_view name) {
        const auto found = std::ranges::find(tables, name, &SqlTableName::name);
        return found == tables.end() ? std::vector<std::string>() : found->columns;
    };
    CHECK(columns("mine") == std::vector<std::string>{"first", "second"});
    CHECK(columns("thread_track").size() > 2);
    CHECK(columns("kernels_by_config").size() > 5);
    REQUIRE(columns("slice").size() == 9);
    CHECK(columns("slice")[1] == "ts");
    const std::vector<std::string> functions = connection->function_names();
    for (const std::string_view name : {"extract_arg", "sum", "percentile", "lag"})
        CHECK(std::ranges::find(functions, name) != functions.end());
    // Asking for names gives queries no more rights.
    CHECK(sql_error(*connection, "pragma cache_size = 3").starts_with("a query cannot"));
}

TEST_CASE("sql: queries list tables and columns") {
    for (const bool may_create : {true, false}) {
        SqlOptions options;
        options.temporary_tables = may_create;
        const auto connection = connect(small_trace(), options);
        const std::string names = sql(*connection, "select name from perfetto_tables");
        for (const char* const name :
             {"slice\n", "kernel\n", "thread_track\n", "kernels_by_config\n", "slice_summary\n"})
            CHECK(names.find(name) != std::string::npos);
        // The list has every table of the connection, and every listed table exists.
        for (const SqlTableName& table : connection->table_names())
            CHECK(("\n" + names).find("\n" + table.name + "\n") != std::string::npos);
        for (std::size_t at = 0; at < names.size(); at = names.find('\n', at) + 1) {
            const std::string name = names.substr(at, names.find('\n', at) - at);
            CAPTURE(name);
            CHECK(try_sql(*connection, "select * from " + name + " limit 0"));
            CHECK(sql(*connection, fmt::format("select count(*) > 0 from pragma_table_info('{}')",
                                               name)) == "1\n");
        }
        CHECK(sql(*connection,
                  "select count(*), count(distinct name) = count(*), count(nullif("
                  "description, '')) = count(*) from perfetto_tables")
                  .ends_with(",1,1\n"));
        CHECK(sql(*connection, "select name, type from pragma_table_info('slice') limit 2") ==
              "id,INTEGER\nts,INTEGER\n");
        for (const std::string_view pragma : {"table_list", "table_xinfo('slice')", "function_list",
                                              "module_list", "database_list", "compile_options"})
            CHECK(try_sql(*connection, fmt::format("select * from pragma_{}", pragma)));
        for (const std::string_view pragma : {"journal_mode", "cache_size", "index_list('x')"})
            CHECK_FALSE(try_sql(*connection, fmt::format("select * from pragma_{}", pragma)));
    }
    const auto connection = connect(small_trace());
    CHECK(sql(*connection,
              "create table mine(a); create view yours as select 1; select name, type from "
              "pragma_table_list where schema = 'temp' and name not like 'sqlite%' order by 1") ==
          "mine,table\nyours,view\n");
}

TEST_CASE("sql: errors say where they are") {
    const auto connection = connect(small_trace());
    const auto place = [&](std::string_view script) {
        const Result<std::string> result = try_sql(*connection, script);
        REQUIRE_FALSE(result);
        CHECK(result.error().code == ErrorCode::usage);
        return std::string(script.substr(result.error().byte_offset));
    };
    CHECK(place("select nothing from slice") == "nothing from slice");
    CHECK(place("select 1; select 2 frm slice where") == "slice where");
    CHECK(place("create table x as select oops from slice") == "oops from slice");
    // A view is compiled when it is read.
    CHECK(place("create perfetto view v(a INT) as selec oops") == "selec oops");
    CHECK(place("create perfetto function f(a INT) returns INT as select oops") == "oops");
    CHECK(place("select * from kernels('config') where oops = 1") == "oops = 1");
    CHECK(place("select 'open") == "'open");
    CHECK(place("select 1 /* open") == "/* open");
    CHECK(place("include perfetto module android.startup") == "android.startup");
    CHECK(sql_error(*connection, "include perfetto module android.startup")
              .starts_with("there is no module android.startup; there are: prelude "));
    CHECK(sql_error(*connection,
                    "include perfetto module counters.intervals; "
                    "select * from counter_leading_intervals!(counter)")
              .starts_with("there is no module counters.intervals"));
    CHECK(sql_error(*connection, "select * from thread_slice") ==
          "no such table: thread_slice; INCLUDE PERFETTO MODULE slices.with_context has it");
    CHECK(sql_error(*connection, "select * from slice_self_dur") ==
          "no such table: slice_self_dur; INCLUDE PERFETTO MODULE slices.self_dur has it");
    CHECK(sql_error(*connection, "select * from nowhere") == "no such table: nowhere");
}

TEST_CASE("sql: a connection that may not create anything has the modules") {
    SqlOptions reading;
    reading.temporary_tables = false;
    const auto connection = connect(small_trace(), reading);
    CHECK(sql(*connection,
              "include perfetto module slices.with_context; select count(*) from thread_slice") ==
          "3\n");
    for (const char* script : {"create table x(a)", "create view x as select 1",
                               "create virtual table x using span_join(slice, slice)"})
        CHECK(sql_error(*connection, script) == "a query cannot create or change anything here");
    CHECK(sql_error(*connection, "delete from slice").find("temporary") == std::string::npos);
}

TEST_CASE("sql: the result is that of the last statement with columns") {
    const auto connection = connect(small_trace());
    CHECK(*try_sql(*connection,
                   "select 1 as a; select 2 as b, 'x' as b; create view v as select 3") ==
          "b,b:1\n2,x\n");
    CHECK(*try_sql(*connection, "select 1 as a where 0") == "a\n");
    CHECK(sql(*connection, "select 1 union all select 2.5") == "1\n2.5\n");
    CHECK(sql(*connection, "select 1 as a union all select 'x'") == "1\nx\n");
    CHECK(sql(*connection, "select x'00ff'") == "x'00ff'\n");
    CHECK(sql(*connection, " ; -- nothing\n /* at all */ ;").empty());
}

TEST_CASE("sql: functions of queries") {
    const auto connection = connect(small_trace());
    sql(*connection, "create perfetto function twice(x INT) returns INT as select 2 * $x");
    CHECK(sql(*connection, "select twice(21), twice(NULL), twice(twice(2))") == "42,,8\n");
    CHECK(sql_error(*connection, "create perfetto function twice(x INT) returns INT as select 1")
              .find("CREATE OR REPLACE") != std::string::npos);
    sql(*connection,
        "create or replace perfetto function twice(x INT) returns INT as select 3 * $x");
    CHECK(sql(*connection, "select twice(2)") == "6\n");
    sql(*connection,
        "create perfetto function longer(least LONG) returns table(name STRING, d LONG) "
        "as select name, dur from slice where dur > $least order by dur");
    CHECK(sql(*connection, "select * from longer(30)") == "b,50\na,100\n");
    CHECK(sql(*connection, "select s.id, l.d from slice s join longer(s.dur) l order by 1, 2") ==
          "1,100\n2,50\n2,100\n");
    CHECK(sql_error(*connection, "select * from longer") == "longer takes 1 arguments");
    CHECK(sql(*connection,
              "create perfetto function count_down(x INT) returns INT as select case "
              "when $x <= 0 then 0 else count_down($x - 1) + 1 end; select "
              "count_down(5)") == "5\n");
    CHECK(sql_error(*connection, "select count_down(1000)") ==
          "the function calls itself too often");
}

TEST_CASE("sql: a function lives on if what would replace it does not compile") {
    const auto connection = connect(small_trace());
    sql(*connection,
        "create perfetto function twice(x INT) returns INT as select 2 * $x; create perfetto "
        "function longer(least LONG) returns table(d LONG) as select dur from slice where dur > "
        "$least order by dur");
    for (const char* const wrong :
         {"create or replace perfetto function twice(x INT) returns INT as select wrong",
          "create or replace perfetto function twice(x INT) returns INT as select $y",
          "create or replace perfetto function longer(x INT) returns table(d INT) as values(1, 2)",
          "create or replace perfetto function median(x INT) returns INT as select wrong",
          "create perfetto function none(x INT) returns INT as select none($x) + wrong"}) {
        CAPTURE(wrong);
        CHECK(!sql_error(*connection, wrong).empty());
        CHECK(sql(*connection, "select twice(21), median(dur) from slice") == "42,50\n");
        CHECK(sql(*connection, "select d from longer(50)") == "100\n");
    }
    CHECK(sql_error(*connection, "select none(1)").find("no such function") != std::string::npos);
    CHECK(sql_error(*connection, "create perfetto function twice(x INT) returns INT as select 1")
              .find("CREATE OR REPLACE") != std::string::npos);
    sql(*connection,
        "create or replace perfetto function twice(x INT) returns INT as select iif($x > 0, "
        "twice($x - 1) + 2, 0)");
    CHECK(sql(*connection, "select twice(21)") == "42\n");
}

TEST_CASE("sql: functions") {
    const auto connection = connect(small_trace());
    CHECK(sql(*connection, "select to_ms(1500000), time_to_ms(1500000), time_from_ms(2)") ==
          "1.5,1,2000000\n");
    CHECK(sql(*connection,
              "select 'aten::mm' regexp '^aten::', regexp_extract('a12b', '[0-9]+'), "
              "regexp_extract('k=v', 'k=(.)'), str_split('a,b,c', ',', 1)") == "1,12,v,b\n");
    CHECK(sql(*connection,
              "select percentile(dur, 50), median(dur), percentile(dur, 100) from "
              "slice") == "50,50,100\n");
    CHECK(sql(*connection, "select percentile(dur, 50) from slice where 0") == "\n");
    CHECK(sql_error(*connection, "select 'a' regexp '('").find("missing") != std::string::npos);
    CHECK(sql(*connection,
              "select trace_start() = start_ts, trace_end() = end_ts, trace_dur() = "
              "end_ts - start_ts from trace_bounds") == "1,1,1\n");
}

}  // namespace lanescope
