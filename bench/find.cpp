// Measures the search for slices: several expressions on TRACE repeated to a gigabyte. The same run
// measures a naive search, which converts every slice's name to a lower-case std::string.
// Usage: bench_find TRACE [MEGABYTES] [ROUNDS]
// Writes its input to the temporary folder.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/measure.h"
#include "bench/repeated_trace.h"
#include "core/ingest/load.h"
#include "core/search/matches.h"

namespace lanescope::bench {
namespace {

namespace fs = std::filesystem;

constexpr double kGoalSeconds = 0.1;

struct Query {
    const char* expression;
    std::string part;  // the substring of the naive search; empty: no naive search
};

uint64_t count_naively(const Trace& trace, const std::string& part) {
    uint64_t count = 0;
    for (const Lane& lane : trace.lanes)
        for (const auto& chunk : lane.chunks)
            for (uint32_t i = 0; i < chunk->size(); ++i) {
                std::string name(trace.strings[chunk->name[i]]);
                for (char& c : name)
                    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
                count += name.find(part) != std::string::npos;
            }
    return count;
}

TracePtr load(const std::string& path) {
    const auto trace = load_trace(path);
    if (!trace) throw std::runtime_error(trace.error().text);
    return *trace;
}

bool measure(const TracePtr& trace, const Query& query, int rounds) {
    const auto expression = parse_search(query.expression);
    if (!expression) throw std::runtime_error(expression.error().text);
    std::vector<double> seconds;
    seconds.reserve(static_cast<size_t>(rounds));
    uint64_t count = 0;
    for (int round = 0; round < rounds; ++round)
        seconds.push_back(seconds_of([&] { count = find_matches(trace, *expression).count; }));
    fmt::print("{:<28} {:>9} found  {}", query.expression, count, spread(seconds));
    if (!query.part.empty()) {
        std::vector<double> naive_seconds;
        uint64_t naive_count = 0;
        for (int round = 0; round < std::max(1, rounds / 5); ++round)
            naive_seconds.push_back(
                seconds_of([&] { naive_count = count_naively(*trace, query.part); }));
        if (naive_count != count)
            throw std::runtime_error("the naive search has a different result");
        fmt::print("  naive {:.3f} s  {:.0f} x", median(naive_seconds),
                   median(naive_seconds) / median(seconds));
    }
    fmt::print("\n");
    return median(seconds) <= kGoalSeconds;
}

int run(const std::string& source, uint64_t megabytes, int rounds) {
    const std::string path = (fs::temp_directory_path() / "lanescope_bench_find.json").string();
    write_repeated(source, path, megabytes << 20);
    const TracePtr trace = load(path);
    fmt::print("{}, {} threads\n{} slices, {} texts, {} rounds; median (minimum to maximum)\n",
               machine(), std::thread::hardware_concurrency(), trace->slice_count(),
               trace->strings.size(), rounds);
    const Query queries[] = {{"name:mm", "mm"},
                             {"name:cudalaunch", "cudalaunch"},
                             {"mm", ""},
                             {"re:^aten::.*mm$", ""},
                             {"kernel dur>10us", ""},
                             {"cat:cpu_op -aten [8,", ""},
                             {"-zzz", ""}};
    bool passed = true;
    for (const Query& query : queries) passed = measure(trace, query, rounds) && passed;
    std::vector<double> steps;
    const Matches all = find_matches(trace, *parse_search("-zzz"));
    SliceRef at = first_match_from(all, trace->origin);
    for (int step = 0; step < 1000 && at; ++step)
        steps.push_back(seconds_of([&] {
            at = match_after(all, at);
            if (at) (void)matches_before(all, at);
        }));
    fmt::print("next match and its number: median {:.1f} us, maximum {:.1f} us\n",
               median(steps) * 1e6, *std::max_element(steps.begin(), steps.end()) * 1e6);
    fmt::print("limit of {:.0f} ms for each: {}\n", kGoalSeconds * 1e3,
               passed ? "passed" : "FAILED");
    fs::remove(path);
    return passed ? 0 : 1;
}

}  // namespace
}  // namespace lanescope::bench

int main(int argc, char** argv) {
    if (argc < 2) {
        fmt::print(stderr, "usage: bench_find TRACE [MEGABYTES] [ROUNDS]\n");
        return 2;
    }
    try {
        return lanescope::bench::run(
            argv[1], argc > 2 ? lanescope::bench::positive_argument(argv[2]) : 1024,
            argc > 3 ? static_cast<int>(lanescope::bench::positive_argument(argv[3])) : 15);
    } catch (const std::exception& error) {
        fmt::print(stderr, "bench_find: {}\n", error.what());
        return 1;
    }
}
