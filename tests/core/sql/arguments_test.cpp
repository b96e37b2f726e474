#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>

#include "tests/core/ingest/loaded_text.h"
#include "tests/core/memory_file.h"
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

}  // namespace lanescope
