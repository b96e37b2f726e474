// Measures `lanescope compare`: two traces of 200 MB, each TRACE repeated, loaded and compared. The
// load alone is measured in the same run.
// Usage: bench_compare TRACE [MEGABYTES] [ROUNDS]
// Writes its input to the temporary folder.
#include "core/insight/compare/compare.h"

#include <fmt/format.h>

#include <array>
#include <ctime>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/measure.h"
#include "bench/repeated_trace.h"
#include "core/analysis/structure/attribution.h"
#include "core/analysis/structure/call_tree.h"
#include "core/analysis/structure/gpu_work.h"
#include "core/analysis/structure/operator_index.h"
#include "core/analysis/structure/steps.h"
#include "core/ingest/load.h"

namespace lanescope::bench {
namespace {

namespace fs = std::filesystem;

// Loading both and comparing them, over loading both.
constexpr double kGoalOverLoad = 1.3;

TracePtr load(const std::string& path) {
    const auto trace = load_trace(path);
    if (!trace) throw std::runtime_error(trace.error().text);
    return *trace;
}

// The steps of a comparison, in the order in which they run.
void print_parts(const std::string& path) {
    const TracePtr trace = load(path);
    const TraceContext context(trace);
    const auto part = [](const char* name, const auto& work) {
        fmt::print("  {:<20} {:.1f} ms\n", name, seconds_of(work) * 1e3);
    };
    fmt::print("{} slices\n", trace->slice_count());
    part("call trees", [&] { context.get<CallTrees>(); });
    part("attribution", [&] { context.get<Attribution>(); });
    part("steps", [&] { context.get<Steps>(); });
    part("operator index", [&] { context.get<OperatorIndex>(); });
    part("GPU work", [&] { context.get<GpuDevices>(); });
    RunProfile run;
    part("profile", [&] { run = profile_run(context, {}); });
    part("comparison", [&] { (void)compare_runs({&run, 1}, {&run, 1}); });
}

int run(const std::string& source, uint64_t megabytes, int rounds) {
    const fs::path folder = fs::temp_directory_path();
    const std::array paths = {(folder / "lanescope_bench_compare_a.json").string(),
                              (folder / "lanescope_bench_compare_b.json").string()};
    for (const std::string& path : paths) write_repeated(source, path, megabytes << 20);
    std::vector<double> loads, both, ratios, cpu_ratios;
    // CPU time tells more than wall time while other programs run.
    const auto cpu_seconds = [] { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; };
    std::size_t rows = 0;
    std::size_t steps = 0;
    for (int round = 0; round < rounds; ++round) {
        const double begin = cpu_seconds();
        loads.push_back(seconds_of([&] {
            // Both are in memory at the end, as for a comparison.
            std::vector<TracePtr> traces;
            traces.reserve(paths.size());
            for (const std::string& path : paths) traces.push_back(load(path));
        }));
        const double middle = cpu_seconds();
        both.push_back(seconds_of([&] {
            std::vector<TraceContext> traces;
            traces.reserve(paths.size());
            for (const std::string& path : paths) traces.emplace_back(load(path));
            const std::vector<RunProfile> runs =
                profile_runs(traces, std::vector<TableQuery>(paths.size()));
            const Comparison comparison =
                compare_runs(std::span(runs).first(1), std::span(runs).last(1));
            rows = comparison.all_functions.size();
            steps = runs.front().steps.size();
        }));
        ratios.push_back(both.back() / loads.back());
        cpu_ratios.push_back((cpu_seconds() - middle) / (middle - begin));
    }
    print_parts(paths.front());
    for (const std::string& path : paths) fs::remove(path);
    const bool passed = median(ratios) <= kGoalOverLoad;
    fmt::print(
        "{}, {} threads\n{} steps, {} functions, {} rounds; median (minimum to maximum)\n"
        "load both            {}\nload both and compare {}\nratio {:.2f}, at most {:.1f}: {}; of "
        "CPU time {:.2f}\n",
        machine(), std::thread::hardware_concurrency(), steps, rows, rounds, spread(loads),
        spread(both), median(ratios), kGoalOverLoad, passed ? "passed" : "FAILED",
        median(cpu_ratios));
    return passed ? 0 : 1;
}

}  // namespace
}  // namespace lanescope::bench

int main(int argc, char** argv) {
    if (argc < 2) {
        fmt::print(stderr, "usage: bench_compare TRACE [MEGABYTES] [ROUNDS]\n");
        return 2;
    }
    try {
        return lanescope::bench::run(
            argv[1], argc > 2 ? lanescope::bench::positive_argument(argv[2]) : 200,
            argc > 3 ? static_cast<int>(lanescope::bench::positive_argument(argv[3])) : 7);
    } catch (const std::exception& error) {
        fmt::print(stderr, "bench_compare: {}\n", error.what());
        return 1;
    }
}
