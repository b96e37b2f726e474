#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sqlite3.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "core/sql/argument_values.h"
#include "tests/core/ingest/loaded_text.h"
#include "tests/core/memory_file.h"
#include "tests/core/real_traces.h"
#include "tests/core/sql/sql_text.h"

namespace lanescope {

using namespace testing;

namespace {

constexpr std::string_view kEvents = R"([
    {"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":2,"ts":0,"dur":9,"args":
        {"External id":7,"Input Dims":[[8,16],[]],"note":"a \"b\"","deep":{"x":[1.5,true]}}},
    {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":2,"ts":1,"dur":2,
        "args":{"correlation":41,"External id":7,"cbid":211}},
    {"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":5,"dur":3,
        "args":{"correlation":41,"External id":7,"none":null,"big":1e30}},
    {"ph":"X","cat":"other","name":"bare","pid":1,"tid":2,"ts":20,"dur":1},
    {"ph":"X","cat":"cuda_sync","name":"Stream Sync","pid":0,"tid":7,"ts":30,"dur":1,"args":
        {"correlation":50,"External id":8}},
    {"ph":"i","cat":"other","name":"mark","pid":1,"tid":2,"ts":40,"s":"t","args":{"correlation":9}}])";

}  // namespace

TEST_CASE("args: values of lists and objects have keys of their own") {
    const MemoryFile file(kEvents);
    const auto trace = load_trace(file.path());
    REQUIRE(trace);
    const auto connection = connect(*trace);
    CHECK(sql(*connection,
              "select key, flat_key, int_value, string_value, real_value, value_type, "
              "display_value from slice join args using (arg_set_id) where name = 'aten::mm'") ==
          "args.External id,args.External id,7,,,int,7\n"
          "args.Input Dims[0][0],args.Input Dims,8,,,int,8\n"
          "args.Input Dims[0][1],args.Input Dims,16,,,int,16\n"
          "args.note,args.note,,\"a \"\"b\"\"\",,string,\"a \"\"b\"\"\"\n"
          "args.deep.x[0],args.deep.x,,,1.5,real,1.5\n"
          "args.deep.x[1],args.deep.x,1,,,bool,true\n");
    CHECK(sql(*connection, "select count(*), count(distinct arg_set_id) from args") == "16,5\n");
    CHECK(sql(*connection,
              "select count(*) from args where arg_set_id in (0, 1, 2, 3, 4, 5, -1)") == "16\n");
    CHECK(sql(*connection, "select value_type from args where key = 'args.none'") == "null\n");
}

TEST_CASE("extract_arg: from columns and from the file") {
    const MemoryFile file(kEvents);
    const auto trace = load_trace(file.path());
    REQUIRE(trace);
    const auto connection = connect(*trace);
    const auto values = [&](std::string_view key) {
        return sql(*connection, fmt::format("select name, extract_arg(arg_set_id, '{}') from slice "
                                            "order by ts",
                                            key));
    };
    CHECK(values("args.External id") ==
          "aten::mm,7\ncudaLaunchKernel,7\ngemm,7\nbare,\nStream Sync,8\nmark,\n");
    CHECK(values("args.correlation") ==
          "aten::mm,\ncudaLaunchKernel,41\ngemm,41\nbare,\nStream Sync,50\nmark,9\n");
    CHECK(values("args.cbid") ==
          "aten::mm,\ncudaLaunchKernel,211\ngemm,\nbare,\nStream Sync,\nmark,\n");
    CHECK(values("args.Input Dims[0][1]") ==
          "aten::mm,16\ncudaLaunchKernel,\ngemm,\nbare,\nStream Sync,\nmark,\n");
    CHECK(values("args.deep.x[0]") ==
          "aten::mm,1.5\ncudaLaunchKernel,\ngemm,\nbare,\nStream Sync,\nmark,\n");
    CHECK(values("args.big") ==
          "aten::mm,\ncudaLaunchKernel,\ngemm,1e+30\nbare,\nStream Sync,\nmark,\n");
    CHECK(values("External id") ==
          "aten::mm,\ncudaLaunchKernel,\ngemm,\nbare,\nStream Sync,\nmark,\n");
    CHECK(sql(*connection,
              "select extract_arg(NULL, 'args.x'), extract_arg(999, 'args.x'), "
              "extract_arg(0, NULL)") == ",,\n");
}

TEST_CASE("extract_arg: many rows are read in one pass, with the values of single reads") {
    std::string events = "[";
    for (int i = 0; i < 2000; ++i)
        events += fmt::format(
            R"({}{{"ph":"X","cat":"c","name":"n","pid":1,"tid":{},"ts":{},"dur":1,"args":{{"v":{},)"
            R"("t":"text \u00e9 {}"}}}})",
            i ? "," : "", i % 3, 10 * (i * 7 % 2000), i, i % 5);
    const MemoryFile file(events + "]");
    const auto trace = load_trace(file.path());
    REQUIRE(trace);
    const auto connection = connect(*trace);
    CHECK(sql(*connection,
              "select count(*), sum(extract_arg(arg_set_id, 'args.v')), "
              "count(distinct extract_arg(arg_set_id, 'args.t')) from slice") ==
          "2000,1999000,5\n");
    CHECK(sql(*connection,
              "select count(*) from slice where extract_arg(arg_set_id, 'args.v') * 7 "
              "% 2000 * 10000 = ts") == "2000\n");
    CHECK(sql(*connection,
              "select extract_arg(arg_set_id, 'args.t') from slice group by 1 order "
              "by 1 limit 1") == "text é 0\n");
    // The same in a query that reads few.
    CHECK(sql(*connection,
              "select extract_arg(arg_set_id, 'args.v') from slice where ts = 70000") == "1\n");
}

namespace {

std::string many_events(int count) {
    std::string events = "[";
    for (int i = 0; i < count; ++i)
        events += fmt::format(
            R"({}{{"ph":"X","cat":"c","name":"name {}","pid":1,"tid":{},"ts":{},"dur":1,"args":)"
            R"({{"v":{},"te\u0078t":"a \n \"{}\"","list":[{},{{"x":[true,null]}}],"name {}":{}}}}})",
            i ? "," : "", i, i % 3, 10 * (i * 7 % count), i, i % 5, i, i, 2 * i);
    return events + "]";
}

}  // namespace

TEST_CASE("args: many lookups give the rows of single ones") {
    const MemoryFile file(many_events(2000));
    const auto trace = load_trace(file.path());
    REQUIRE(trace);
    const auto connection = connect(*trace);
    const std::string columns =
        "s.id, a.arg_set_id, flat_key, key, int_value, string_value, real_value, value_type, "
        "display_value";
    for (const std::string_view condition :
         {"1", "key = 'args.v'", "key = 'args.text'", "key = 'args.list[0]'",
          "key = 'args.list[1].x[1]'", "key = 'args.none'", "key = ''", "key = NULL",
          "key IN ('args.v', 'args.list[1].x[0]')", "key = 'ARGS.V' COLLATE NOCASE",
          "key = 'args.' || s.name", "flat_key = 'args.list'"}) {
        CAPTURE(condition);
        const auto joined = [&](std::string_view join, std::string_view rows) {
            return sql(*connection,
                       fmt::format("select {} from slice s {} join args a on a.arg_set_id = "
                                   "s.arg_set_id and {} where s.{} order by s.id, a.id",
                                   columns, join, condition, rows));
        };
        const std::string all = joined("left", "id >= 0");
        std::string apart;
        for (int part = 0; part < 20; ++part)  // of fewer rows than one pass is made for
            apart +=
                joined("left", fmt::format("id between {} and {}", 100 * part, 100 * part + 99));
        CHECK(all.size() > 2000);
        CHECK(all == apart);
    }
}

TEST_CASE("args: a left join reads the file once, not once for each row") {
    const auto connected = [](const TracePtr& trace) {
        SqlOptions options;
        options.timeout = std::chrono::seconds(60);
        return connect(trace, options);
    };
    // To read this file for each row would take several minutes.
    const MemoryFile made(many_events(20'000));
    const auto loaded = load_trace(made.path());
    REQUIRE(loaded);
    CHECK(sql(*connected(*loaded),
              "select count(*), count(a.id) from slice s left join args a on a.arg_set_id = "
              "s.arg_set_id and a.key = 'args.v'") == "20000,20000\n");
    if (traces_here({"torch/v100_memory_nccl.json.gz"}).empty()) return;
    const auto connection = connected(load_real_trace("torch/v100_memory_nccl.json.gz"));
    CHECK(sql(*connection,
              "select count(*), count(a.id) from slice s left join args a on a.arg_set_id = "
              "s.arg_set_id and a.key = 'args.External id' where s.category = 'cpu_op'") ==
          "56680,56680\n");
    CHECK(sql(*connection,
              "select count(*) from slice s left join args a on a.arg_set_id = s.arg_set_id where "
              "s.category = 'kernel' and a.key is null") == "0\n");
}

TEST_CASE("extract_arg: names made of rows need little memory") {
    const MemoryFile file(many_events(3000));
    const auto trace = load_trace(file.path());
    REQUIRE(trace);
    SqlOptions little;
    little.memory_bytes = 6 << 20;  // arrays of all rows for each name would take 80 MB
    const auto connection = connect(*trace, little);
    CHECK(sql(*connection, "select sum(extract_arg(arg_set_id, 'args.' || name)) from slice") ==
          fmt::format("{}\n", 3000 * 2999));
    CHECK(sql(*connection,
              "select sum(extract_arg(arg_set_id, iif(id % 2, 'args.v', 'args.text'))), "
              "count(extract_arg(arg_set_id, 'args.list[1].x[0]')) from slice")
              .ends_with(",3000\n"));
    // The memory of the arguments is free after the query.
    const sqlite3_int64 used = sqlite3_memory_used();
    CHECK(sql(*connection, "select count(*) from slice left join args using (arg_set_id)") ==
          "18000\n");
    CHECK(sqlite3_memory_used() < used + (1 << 20));
    SqlOptions too_little;
    too_little.memory_bytes = 1 << 20;
    const auto other = connect(*trace, too_little);
    CHECK(sql_error(*other, "select count(*) from slice left join args using (arg_set_id)") ==
          "the query needs more than 1 MiB");
}

TEST_CASE("args, extract_arg: a pass over the file ends when the query is stopped") {
    const MemoryFile file(many_events(5000));
    const auto trace = load_trace(file.path());
    REQUIRE(trace);
    for (const std::string_view query :
         {"select count(*) from args where key = 'args.none'",
          "select count(*) from slice left join args using (arg_set_id)",
          "select count(extract_arg(arg_set_id, 'args.v')) from slice",
          "select count(extract_arg(arg_set_id, 'args.' || name)) from slice"}) {
        CAPTURE(query);
        // Each attempt has a longer timeout, until an attempt completes.
        for (int micros = 0;; micros = 2 * micros + 50) {
            SqlOptions options;
            options.timeout = std::chrono::microseconds(micros);
            const auto result = try_sql(*connect(*trace, options), query);
            if (result) break;
            CHECK(result.error().code == ErrorCode::cancelled);
            CHECK(result.error().text == "the query took too long");
        }
    }
}

TEST_CASE("arguments: single reads and passes over the file ask whether the query is stopped") {
    const MemoryFile file(many_events(5000));
    const auto trace = load_trace(file.path());
    REQUIRE(trace);
    const SliceRows rows(**trace);
    // Reads all rows, but stops after `most_asked` questions. Returns the number of rows read.
    const auto rows_read = [&](int most_asked, bool by_key) {
        std::atomic<int> asked{0};
        ArgumentValues values(*trace, rows, [&] { return ++asked > most_asked; });
        for (uint32_t id = 0; id < rows.count(); ++id) {
            const auto error = [&]() -> std::optional<Error> {
                if (!by_key) {
                    const auto read = values.arguments(id);
                    return read ? std::nullopt : std::optional(read.error());
                }
                const auto read = values.value(*values.key("args.v"), id);
                return read ? std::nullopt : std::optional(read.error());
            }();
            if (!error) continue;
            CHECK(error->code == ErrorCode::cancelled);
            return id;
        }
        return rows.count();
    };
    for (const bool by_key : {false, true}) {
        CAPTURE(by_key);
        CHECK(rows_read(10, by_key) == 10);
        CHECK(rows_read(256, by_key) == 256);
        CHECK(rows_read(100'000, by_key) == 5000);
    }
    CHECK(rows_read(258, false) == 256);
}

}  // namespace lanescope
