// Measures SQL on TRACE repeated to a gigabyte: the queries of an ML engineer, beside the same ones
// on a copy of the slices in a table of SQLite's own, the time of the load, a plain loop over the
// columns, and the times of Perfetto's trace processor on such a file, which were measured on
// another day: on a busy machine only the first comparison is fair. Usage: bench_sql TRACE
// [MEGABYTES] [ROUNDS] [QUERY] where QUERY is a part of the name of the queries to run, without the
// copy. Writes its input to the temporary folder.
#include <fmt/format.h>

#include <filesystem>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/measure.h"
#include "bench/repeated_trace.h"
#include "core/ingest/load.h"
#include "core/sql/connection.h"

namespace lanescope::bench {
namespace {

namespace fs = std::filesystem;

struct Query {
    const char* about;
    const char* text;
    double perfetto;  // ms, at kPerfettoSlices
};

// Perfetto's figures are those of v100_memory_nccl, repeated to so many slices and instants.
constexpr double kPerfettoSlices = 3'027'820;
constexpr double kPerfettoLoad = 10'000;  // ms, at best

constexpr Query kQueries[] = {
    {"time by name",
     "select name, count(*), sum(dur) from slice group by name order by 3 desc limit 20", 504},
    {"slices by thread",
     "select t.name, count(*) from slice s join thread_track tt on s.track_id=tt.id join thread t "
     "using(utid) group by 1",
     733},
    {"slices by External id",
     "select extract_arg(arg_set_id,'args.External id'), count(*) from slice group by 1", 1194},
    {"launch delays by flow",
     "select count(*), avg(k.ts-l.ts), max(k.ts-l.ts) from flow f join slice l on f.slice_out=l.id "
     "join slice k on f.slice_in=k.id",
     88},
    {"gaps by lag()",
     "select track_id, count(*), sum(gap) from (select track_id, ts - lag(ts+dur) over (partition "
     "by track_id order by ts) as gap from slice where category in ('kernel', 'gpu_memcpy', "
     "'gpu_memset')) where gap > 0 group by 1",
     442},
    {"kernels by correlation",
     "with k as materialized (select ts, extract_arg(arg_set_id,'args.correlation') as c from "
     "slice where category='kernel'), r as materialized (select ts, "
     "extract_arg(arg_set_id,'args.correlation') as c from slice where category='cuda_runtime') "
     "select count(*), avg(k.ts - r.ts) from k join r using(c)",
     538},
};

// Reads every name and duration, as each query over slices must at least.
int64_t sum_naively(const Trace& trace) {
    std::vector<int64_t> sums(trace.strings.size());
    for (const Lane& lane : trace.lanes)
        for (const auto& chunk : lane.chunks)
            for (uint32_t i = 0; i < chunk->size(); ++i) sums[chunk->name[i]] += chunk->duration[i];
    int64_t most = std::numeric_limits<int64_t>::min();
    for (const int64_t sum : sums) most = std::max(most, sum);
    return most;
}

constexpr const char* kCopy =
    "create table plain(id integer primary key, ts integer, dur integer, track_id integer, "
    "category "
    "text, name text, depth integer, parent_id integer, arg_set_id integer); insert into plain "
    "select * from slice";

std::string on_the_copy(std::string query) {
    for (const std::string_view before : {"from slice", "join slice"})
        for (std::size_t at = 0; (at = query.find(before, at)) != std::string::npos;)
            query.replace(at + 5, 5, "plain");
    return query;
}

std::size_t rows_of(SqlConnection& connection, const std::string& query) {
    SqlRows rows(uint64_t{1} << 30);
    const Result<void> done = connection.run(query, {}, rows);
    if (!done) throw std::runtime_error(fmt::format("{}: {}", query, done.error().text));
    return rows.row_count();
}

int run(const std::string& source, uint64_t megabytes, int rounds, std::string_view only) {
    const std::string path = (fs::temp_directory_path() / "lanescope_bench_sql.json").string();
    write_repeated(source, path, megabytes << 20);
    TracePtr trace;
    const double load = 1000 * seconds_of([&] {
                            const auto loaded = load_trace(path);
                            if (!loaded) throw std::runtime_error(loaded.error().text);
                            trace = *loaded;
                        });
    uint64_t instants = 0;
    for (const Lane& lane : trace->lanes)
        if (lane.instants) instants += lane.instants->time.size();
    const double rows = static_cast<double>(trace->slice_count() + instants);
    const double scale = rows / kPerfettoSlices;
    fmt::print("{}, {} threads\n{} MB, {} slices and {} instants, loaded in {:.0f} ms\n", machine(),
               std::thread::hardware_concurrency(), fs::file_size(path) / 1'000'000,
               trace->slice_count(), instants, load);
    int64_t most = 0;
    fmt::print("plain loop over names and durations: {:.1f} ms\n",
               1000 * seconds_of([&] { most = sum_naively(*trace); }));
    fmt::print(
        "median of {} rounds in ms; first: with a new connection; Perfetto: recorded earlier "
        "for {:.0f} slices, and scaled to these\n",
        rounds, kPerfettoSlices);
    const auto copied = SqlConnection::open(trace);
    if (!copied) throw std::runtime_error(copied.error().text);
    if (only.empty())
        fmt::print("copying the slices into a table of SQLite's: {:.0f} ms\n",
                   1000 * seconds_of([&] { (void)rows_of(**copied, kCopy); }));
    double sum = 0;
    double sum_of_copy = 0;
    double sum_first = 0;
    double sum_of_perfetto = 0;
    bool passed = true;
    for (const Query& query : kQueries) {
        if (std::string_view(query.about).find(only) == std::string_view::npos) continue;
        std::vector<double> first;
        std::vector<double> again;
        std::vector<double> copy;
        std::size_t found = 0;
        for (int round = 0; round < rounds; ++round) {
            const auto connection = SqlConnection::open(trace);
            if (!connection) throw std::runtime_error(connection.error().text);
            first.push_back(1000 * seconds_of([&] { found = rows_of(**connection, query.text); }));
            again.push_back(1000 * seconds_of([&] { (void)rows_of(**connection, query.text); }));
            if (!only.empty()) {
                copy.push_back(0);
                continue;
            }
            std::size_t there = 0;
            copy.push_back(1000 *
                           seconds_of([&] { there = rows_of(**copied, on_the_copy(query.text)); }));
            if (there != found) throw std::runtime_error("the copy gives other rows");
        }
        const double perfetto = query.perfetto * scale;
        fmt::print(
            "{:<24} {:>7} rows  first {:>7.1f}  again {:>7.1f}  copy {:>7.1f}  {:.1f} x  "
            "Perfetto {:>7.1f}  {:.1f} x\n",
            query.about, found, median(first), median(again), median(copy),
            median(copy) / median(again), perfetto, perfetto / median(first));
        passed = passed && median(first) <= perfetto;
        sum += median(again);
        sum_first += median(first);
        sum_of_copy += median(copy);
        sum_of_perfetto += perfetto;
    }
    const double answer = load + sum_first / static_cast<double>(std::size(kQueries));
    const double their_answer =
        (kPerfettoLoad * scale) + sum_of_perfetto / static_cast<double>(std::size(kQueries));
    fmt::print(
        "sum: first {:.0f}, again {:.0f}, copy {:.0f}: {:.1f} x, Perfetto {:.0f}: {:.1f} x\n",
        sum_first, sum, sum_of_copy, sum_of_copy / sum, sum_of_perfetto,
        sum_of_perfetto / sum_first);
    fmt::print("from file to answer: {:.0f}, Perfetto {:.0f}: {:.1f} x\n", answer, their_answer,
               their_answer / answer);
    passed = passed && sum_of_perfetto >= 2 * sum_first && their_answer >= 6 * answer;
    fmt::print("each at least as fast, the sum 2 x, from file to answer 6 x: {}\n",
               passed ? "passed" : "FAILED");
    fs::remove(path);
    return passed && most > 0 ? 0 : 1;
}

}  // namespace
}  // namespace lanescope::bench

int main(int argc, char** argv) {
    if (argc < 2) {
        fmt::print(stderr, "usage: bench_sql TRACE [MEGABYTES] [ROUNDS] [QUERY]\n");
        return 2;
    }
    try {
        return lanescope::bench::run(
            argv[1], argc > 2 ? lanescope::bench::positive_argument(argv[2]) : 1024,
            argc > 3 ? static_cast<int>(lanescope::bench::positive_argument(argv[3])) : 5,
            argc > 4 ? argv[4] : "");
    } catch (const std::exception& error) {
        fmt::print(stderr, "bench_sql: {}\n", error.what());
        return 1;
    }
}
