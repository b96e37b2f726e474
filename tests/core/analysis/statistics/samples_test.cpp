// Tables of samples: by function, caller, thread, process and range, for each kind of samples.
#include "core/analysis/statistics/samples.h"

#include <doctest/doctest.h>

#include <map>
#include <string>

#include "core/analysis/flame/flame_tree.h"
#include "core/export/tables/summary_writer.h"
#include "core/export/tables/table_writer.h"
#include "core/ingest/load.h"
#include "core/insight/summary/summary.h"
#include "tests/core/memory_file.h"

using namespace lanescope;
using lanescope::testing::MemoryFile;

namespace {

// Two threads of one process, and one thread of another. Microseconds; a sample represents 1 µs, a
// Python sample 10 µs.
//   thread 2: ranges    outer [0, 6), inner [2, 4)
//             CPU       main [0, 8): work [0, 6) with gemm [1, 3), rest [6, 8)
//             waiting   main [10, 14): poll [10, 14)
//             Python    train [0, 20): step [0, 10)
//   thread 3: CPU       main [0, 4): gemm [0, 4)
//   process 9, thread 9: CPU main [0, 3)
constexpr std::string_view kEvents = R"({"traceEvents":[
{"ph":"M","name":"thread_name","pid":1,"tid":"2 samples","args":{"name":"first · samples"}},
{"ph":"X","cat":"user_annotation","name":"outer","pid":1,"tid":2,"ts":0,"dur":6},
{"ph":"X","cat":"user_annotation","name":"inner","pid":1,"tid":2,"ts":2,"dur":2},
{"ph":"X","cat":"cpu_sample","name":"main","pid":1,"tid":"2 samples","ts":0,"dur":8,"args":{"samples":8,"cpu_ns":8000,"module":"app"}},
{"ph":"X","cat":"cpu_sample","name":"work","pid":1,"tid":"2 samples","ts":0,"dur":6,"args":{"samples":6,"cpu_ns":6000,"module":"app"}},
{"ph":"X","cat":"cpu_sample","name":"gemm","pid":1,"tid":"2 samples","ts":1,"dur":2,"args":{"samples":2,"cpu_ns":2000,"module":"blas"}},
{"ph":"X","cat":"cpu_sample","name":"rest","pid":1,"tid":"2 samples","ts":6,"dur":2,"args":{"samples":2,"cpu_ns":2000,"module":"app"}},
{"ph":"X","cat":"off_cpu","name":"main","pid":1,"tid":"2 samples","ts":10,"dur":4,"args":{"samples":1,"cpu_ns":4000,"module":"app"}},
{"ph":"X","cat":"off_cpu","name":"poll","pid":1,"tid":"2 samples","ts":10,"dur":4,"args":{"samples":1,"cpu_ns":4000,"module":"libc"}},
{"ph":"X","cat":"python_sample","name":"train","pid":1,"tid":"2 python samples","ts":0,"dur":20,"args":{"samples":2,"cpu_ns":20000,"module":"train.py","gil_samples":2,"running_samples":1}},
{"ph":"X","cat":"python_sample","name":"step","pid":1,"tid":"2 python samples","ts":0,"dur":10,"args":{"samples":1,"cpu_ns":10000,"module":"train.py"}},
{"ph":"X","cat":"cpu_sample","name":"main","pid":1,"tid":"3 samples","ts":0,"dur":4,"args":{"samples":4,"cpu_ns":4000,"module":"app"}},
{"ph":"X","cat":"cpu_sample","name":"gemm","pid":1,"tid":"3 samples","ts":0,"dur":4,"args":{"samples":4,"cpu_ns":4000,"module":"blas"}},
{"ph":"X","cat":"cpu_sample","name":"main","pid":9,"tid":"9 samples","ts":0,"dur":3,"args":{"samples":3,"cpu_ns":3000,"module":"app"}}
]})";

TracePtr load(std::string_view events) {
    const MemoryFile file{std::string(events)};
    const auto trace = load_trace(file.path());
    REQUIRE(trace);
    return *trace;
}

// The cells of some columns, as in CSV, row by row: "a,b;c,d".
std::string cells(const Table& table, std::initializer_list<std::string_view> keys) {
    std::string out;
    for (std::size_t row = 0; row < table.row_count(); ++row) {
        if (row > 0) out += ';';
        for (const std::string_view key : keys) {
            const auto column = find_column(table.spec(), key);
            REQUIRE(column);
            if (key != *keys.begin()) out += ',';
            const Cell cell = table.cell(row, *column);
            if (const auto* text = std::get_if<std::string_view>(&cell)) out += *text;
            if (const auto* number = std::get_if<int64_t>(&cell)) out += std::to_string(*number);
            if (const auto* real = std::get_if<double>(&cell))
                out += std::to_string(std::lround(*real * 1000));
        }
    }
    return out;
}

}  // namespace

TEST_CASE("functions of each kind have their own samples, and shares of their kind") {
    const TraceContext context(load(kEvents));
    CHECK(cells(samples_table(context, {}),
                {"function", "kind", "self_samples", "total_samples", "self_ns", "total_share"}) ==
          "train,Python,1,2,10000,1000;"
          "step,Python,1,1,10000,500;"
          "gemm,CPU,6,6,6000,400;"
          "work,CPU,4,6,4000,400;"
          "poll,waiting,1,1,4000,1000;"
          "main,CPU,3,15,3000,1000;"
          "rest,CPU,2,2,2000,133;"
          "main,waiting,0,1,0,1000");
}

TEST_CASE("samples of Python say whether the thread held the lock and ran") {
    const TraceContext context(load(kEvents));
    // The two samples of `train` include the one of `step`, of which nothing is recorded.
    CHECK(cells(samples_table(context, {}), {"function", "self_gil_samples"})
              .starts_with("train,2;step,0;gemm,;"));
    CHECK(cells(samples_by_thread_table(context, {}), {"thread", "gil_samples", "running_samples"})
              .starts_with("thread 2,2,1;first,,;"));
}

TEST_CASE("shares are of time, so that one long wait outweighs several short ones") {
    const TraceContext context(load(R"({"traceEvents":[
{"ph":"X","cat":"off_cpu","name":"poll","pid":1,"tid":"2 samples","ts":0,"dur":1,"args":{"samples":1,"cpu_ns":1000,"module":"m"}},
{"ph":"X","cat":"off_cpu","name":"poll","pid":1,"tid":"2 samples","ts":2,"dur":1,"args":{"samples":1,"cpu_ns":1000,"module":"m"}},
{"ph":"X","cat":"off_cpu","name":"read","pid":1,"tid":"2 samples","ts":4,"dur":6,"args":{"samples":1,"cpu_ns":6000,"module":"m"}}]})"));
    CHECK(cells(samples_table(context, {}), {"function", "self_samples", "self_share"}) ==
          "read,1,750;poll,2,250");
    CHECK(cells(samples_by_thread_table(context, {}), {"busiest_function", "busiest_share"}) ==
          "read,750");
    const Summary summary = summarise(context, {});
    CHECK(summary_as_text(context, summary, {.width = 200}).find("75.0 % of it in read (m)") !=
          std::string::npos);
}

TEST_CASE("rows with equal numbers are in the order of their texts") {
    // The names occur in another order than they sort.
    const TraceContext context(load(R"({"traceEvents":[
{"ph":"X","cat":"cpu_sample","name":"z","pid":1,"tid":"2 samples","ts":0,"dur":1,"args":{"samples":1,"cpu_ns":1000,"module":"m"}},
{"ph":"X","cat":"cpu_sample","name":"b","pid":1,"tid":"2 samples","ts":1,"dur":1,"args":{"samples":1,"cpu_ns":1000,"module":"m"}},
{"ph":"X","cat":"cpu_sample","name":"a","pid":1,"tid":"2 samples","ts":2,"dur":1,"args":{"samples":1,"cpu_ns":1000,"module":"n"}},
{"ph":"X","cat":"cpu_sample","name":"a","pid":1,"tid":"2 samples","ts":3,"dur":1,"args":{"samples":1,"cpu_ns":1000,"module":"m"}}]})"));
    CHECK(cells(samples_table(context, {}), {"function", "module"}) == "a,m;a,n;b,m;z,m");
    CHECK(cells(samples_by_caller_table(context, {}), {"function", "module"}) == "a,m;a,n;b,m;z,m");
    CHECK(cells(samples_by_thread_table(context, {}), {"busiest_function", "busiest_module"}) ==
          "a,m");
}

TEST_CASE("by caller, a function has a row for each of its callers") {
    const TraceContext context(load(kEvents));
    CHECK(cells(samples_by_caller_table(context, {}),
                {"function", "caller", "kind", "self_samples", "total_samples"}) ==
          "train,,Python,1,2;"
          "step,train,Python,1,1;"
          "work,main,CPU,4,6;"
          "gemm,main,CPU,4,4;"
          "poll,main,waiting,1,1;"
          "main,,CPU,3,15;"
          "gemm,work,CPU,2,2;"
          "rest,main,CPU,2,2;"
          "main,,waiting,0,1");
}

TEST_CASE("recursion counts once for a pair of function and caller") {
    const TraceContext context(load(R"({"traceEvents":[
{"ph":"X","cat":"cpu_sample","name":"f","pid":1,"tid":"2 samples","ts":0,"dur":3,"args":{"samples":3,"cpu_ns":3000,"module":"m"}},
{"ph":"X","cat":"cpu_sample","name":"f","pid":1,"tid":"2 samples","ts":0,"dur":3,"args":{"samples":3,"cpu_ns":3000,"module":"m"}},
{"ph":"X","cat":"cpu_sample","name":"f","pid":1,"tid":"2 samples","ts":0,"dur":2,"args":{"samples":2,"cpu_ns":2000,"module":"m"}}]})"));
    CHECK(cells(samples_table(context, {}), {"function", "self_samples", "total_samples"}) ==
          "f,3,3");
    CHECK(cells(samples_by_caller_table(context, {}),
                {"function", "caller", "self_samples", "total_samples"}) == "f,f,3,3;f,,0,3");
}

TEST_CASE("threads and processes have the samples of all their stacks") {
    const TraceContext context(load(kEvents));
    CHECK(cells(samples_by_thread_table(context, {}),
                {"thread", "pid", "tid", "kind", "samples", "time_ns", "share", "busiest_function",
                 "busiest_share"}) ==
          "thread 2,1,2,Python,2,20000,1000,step,500;"
          "first,1,2,CPU,8,8000,533,work,500;"
          "first,1,2,waiting,1,4000,1000,poll,1000;"
          "thread 3,1,3,CPU,4,4000,267,gemm,1000;"
          "thread 9,9,9,CPU,3,3000,200,main,1000");
    CHECK(cells(samples_by_process_table(context, {}),
                {"pid", "threads", "kind", "samples", "busiest_function"}) ==
          "1,1,Python,2,step;1,2,CPU,12,gemm;1,1,waiting,1,poll;9,1,CPU,3,main");
}

TEST_CASE("samples belong to the innermost annotation that was open on their thread") {
    const TraceContext context(load(kEvents));
    // On thread 2, `inner` contains one of the two samples of gemm. `work` has four samples of its
    // own, at [0, 1) and [3, 6): `inner` contains one of them, and `outer` three. The Python sample
    // in `step` represents [0, 10); `outer` alone was open during 0.4 of this time.
    CHECK(cells(samples_by_range_table(context, {}),
                {"range", "kind", "samples", "time_ns", "busiest_function", "busiest_share"}) ==
          ",Python,1,14000,train,714;"
          ",CPU,9,9000,gemm,444;"
          ",waiting,1,4000,poll,1000;"
          "outer,CPU,4,4000,work,750;"
          "outer,Python,0,4000,step,1000;"
          "inner,CPU,2,2000,gemm,500;"
          "inner,Python,0,2000,step,1000");
}

TEST_CASE("in a range of time, samples count in proportion") {
    const TraceContext context(load(kEvents));
    const Nanos origin = context.trace().origin;
    TableQuery query;
    query.range = TimeRange{origin + 2000, origin + 4000};
    CHECK(cells(samples_table(context, query), {"function", "kind", "self_samples"}) ==
          "gemm,CPU,3;step,Python,0;main,CPU,1;work,CPU,1;train,Python,0");
    CHECK(cells(samples_by_range_table(context, query), {"range", "kind", "samples"}) ==
          ",CPU,3;inner,CPU,2;inner,Python,0");
}

TEST_CASE("flame graphs show the samples of one kind") {
    const TracePtr trace = load(kEvents);
    const TraceContext context(trace);
    const auto weight = [&](FlameSource source) {
        FlameQuery query;
        query.source = source;
        query.weight = FlameWeight::samples;
        return make_flame_tree(context, query).root().total;
    };
    CHECK(weight(FlameSource::samples) == 15);
    CHECK(weight(FlameSource::waiting) == 1);
    CHECK(weight(FlameSource::python) == 2);
    const TracePtr cpu_only = load(
        R"([{"ph":"X","cat":"cpu_sample","name":"f","pid":1,"tid":"2 samples","ts":0,"dur":3,"args":{"samples":3}}])");
    CHECK(missing_for_flame(*cpu_only, FlameSource::samples).empty());
    CHECK_FALSE(missing_for_flame(*cpu_only, FlameSource::waiting).empty());
    CHECK_FALSE(missing_for_flame(*cpu_only, FlameSource::python).empty());
}

TEST_CASE("the summary names the functions with most samples") {
    const TraceContext context(load(kEvents));
    const Summary summary = summarise(context, {});
    REQUIRE(summary.samples.size() == 3);
    CHECK(summary.samples[0].threads == 3);
    const std::string text = summary_as_text(context, summary, {.width = 200});
    for (const std::string_view part :
         {"Of 15 µs of sampled CPU time, 40.0 % is in gemm (blas).", "50.0 % is in train",
          "Threads did not run for 4 µs together, 100 % of it in poll (libc).",
          "CPU time: 15 µs in 15 samples of 3 threads, most in gemm (blas) 40.0 %, work",
          "work (app) 26.7 %", "Waiting: 4 µs in 1 wait of 1 thread, most in poll (libc) 100 %."}) {
        CAPTURE(text);
        CHECK(text.find(part) != std::string::npos);
    }
}
