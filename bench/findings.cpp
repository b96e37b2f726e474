// Measures how long all findings of a trace take, compared with loading the trace.
// Usage: bench_findings TRACE [MEGABYTES] [ROUNDS]
//        bench_findings --each TRACE [MEGABYTES]     each rule alone
// Repeats the trace to a file of that size (1000) in the temporary folder. Goal: the findings take
// at most as long as the load.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/measure.h"
#include "bench/repeated_trace.h"
#include "core/ingest/load.h"
#include "core/insight/findings/rule.h"

namespace lanescope::bench {
namespace {

namespace fs = std::filesystem;

constexpr double kFindingsGoal = 1;

TracePtr load(const std::string& path) {
    const auto trace = load_trace(path);
    if (!trace) throw std::runtime_error(trace.error().text);
    return *trace;
}

void measure_rounds(const std::string& path, int rounds) {
    std::vector<double> loads;
    std::vector<double> findings;
    std::vector<double> ratios;
    std::vector<double> cpu_ratios;
    std::size_t count = 0;
    // CPU time of all threads tells more than wall time while other programs run.
    const auto cpu_seconds = [] { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; };
    for (int round = 0; round < rounds; ++round) {
        TracePtr trace;
        const double begin = cpu_seconds();
        loads.push_back(seconds_of([&] { trace = load(path); }));
        const double middle = cpu_seconds();
        findings.push_back(seconds_of([&] {
            count = find_all(TraceContext(trace), Thresholds{}, FindingsQuery{}).all.size();
        }));
        ratios.push_back(findings.back() / loads.back());
        cpu_ratios.push_back((cpu_seconds() - middle) / (middle - begin));
    }
    fmt::print(
        "load {:.3f} s, {} findings {:.3f} s: {:.2f} times the load ({:.2f} to {:.2f}; goal: at "
        "most {}); of CPU time {:.2f}\n",
        median(loads), count, median(findings), median(ratios), std::ranges::min(ratios),
        std::ranges::max(ratios), kFindingsGoal, median(cpu_ratios));
}

void measure_each(const std::string& path) {
    const TracePtr trace = load(path);
    const TraceContext context(trace);
    // The first call computes what the rules share.
    const double first =
        seconds_of([&] { (void)find_all(context, Thresholds{}, FindingsQuery{}); });
    const double again =
        seconds_of([&] { (void)find_all(context, Thresholds{}, FindingsQuery{}); });
    fmt::print("first {:.3f} s, with all shared results {:.3f} s\n", first, again);
    for (const auto& [rule, seconds] : seconds_by_rule(context, Thresholds{}, FindingsQuery{}))
        fmt::print("{:<24} {:.3f} s\n", rule, seconds);
}

int run(std::vector<std::string> words) {
    const bool each = !words.empty() && words.front() == "--each";
    if (each) words.erase(words.begin());
    if (words.empty()) {
        fmt::print(stderr, "usage: bench_findings [--each] TRACE [MEGABYTES] [ROUNDS]\n");
        return 2;
    }
    const auto megabytes = words.size() > 1 ? positive_argument(words[1]) : 1000;
    const int rounds = words.size() > 2 ? static_cast<int>(positive_argument(words[2])) : 5;
    const fs::path path =
        fs::temp_directory_path() / fmt::format("lanescope-findings-{}.json", getpid());
    write_repeated(words.front(), path.string(), megabytes * 1'000'000);
    if (each)
        measure_each(path.string());
    else
        measure_rounds(path.string(), rounds);
    fs::remove(path);
    return 0;
}

}  // namespace
}  // namespace lanescope::bench

int main(int argc, char** argv) {
    try {
        return lanescope::bench::run({argv + 1, argv + argc});
    } catch (const std::exception& error) {
        fmt::print(stderr, "bench_findings: {}\n", error.what());
        return 1;
    }
}
