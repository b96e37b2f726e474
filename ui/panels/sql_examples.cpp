#include "ui/panels/sql_examples.h"

namespace lanescope {

namespace {

constexpr std::string_view kKernels =
    "select name, count(*) as calls, sum(dur) as total, avg(dur) as mean\n"
    "from kernel\n"
    "group by name\n"
    "order by total desc";
constexpr std::string_view kGaps =
    "select ts, dur, name as cause, device, stream\n"
    "from gap\n"
    "order by dur desc\n"
    "limit 100";
constexpr std::string_view kLaunches =
    "select k.name, l.name as call, k.ts - l.ts as delay, k.ts, k.dur, k.id as slice_id\n"
    "from flow f\n"
    "join slice l on f.slice_out = l.id\n"
    "join slice k on f.slice_in = k.id\n"
    "where f.kind = 'launch'\n"
    "order by delay desc\n"
    "limit 100";
constexpr std::string_view kSlices =
    "select name, category, count(*) as calls, sum(dur) as total\n"
    "from slice\n"
    "group by name, category\n"
    "order by total desc\n"
    "limit 100";
constexpr std::string_view kThreads =
    "select p.name as process, t.name as thread, count(*) as slices, min(s.ts) as ts\n"
    "from slice s\n"
    "join thread_track k on s.track_id = k.id\n"
    "join thread t using (utid)\n"
    "join process p using (upid)\n"
    "group by utid\n"
    "order by slices desc";
constexpr std::string_view kSteps =
    "select id, name, ts, dur\n"
    "from step\n"
    "order by ts";

constexpr SqlExample kExamples[] = {
    {"Kernels by total time", kKernels},
    {"Longest idle gaps of the GPU", kGaps},
    {"Launches and their kernels, the slowest first", kLaunches},
    {"Slices by name", kSlices},
    {"Slices of each thread and stream", kThreads},
    {"Steps", kSteps},
};

}  // namespace

std::span<const SqlExample> sql_examples() {
    return kExamples;
}

}  // namespace lanescope
