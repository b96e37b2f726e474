// How fast slices are found: several expressions on TRACE repeated to a gigabyte, each compared
// with the same question asked of every slice's name as a lower-case std::string, in one run.
// Usage: bench_find TRACE [MEGABYTES] [ROUNDS]
// Makes its input in the temporary folder.
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

struct Question {
    const char* expression;
    std::string part;  // for the naive way: a substring of the name; empty: not measured
};

uint64_t naive(const Trace& trace, const std::string& part) {
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

bool ask(const TracePtr& trace, const Question& question, int rounds) {
    const auto expression = parse_search(question.expression);
    if (!expression) throw std::runtime_error(expression.error().text);
    std::vector<double> seconds;
    seconds.reserve(static_cast<size_t>(rounds));
    uint64_t count = 0;
    for (int round = 0; round < rounds; ++round)
        seconds.push_back(seconds_of([&] { count = find_matches(trace, *expression).count; }));
    fmt::print("{:<28} {:>9} found  {}", question.expression, count, spread(seconds));
    if (!question.part.empty()) {
        std::vector<double> naive_seconds;
        uint64_t naive_count = 0;
        for (int round = 0; round < std::max(1, rounds / 5); ++round)
            naive_seconds.push_back(
                seconds_of([&] { naive_count = naive(*trace, question.part); }));
        if (naive_count != count) throw std::runtime_error("the naive way finds something else");
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
    fmt::print("{}, {} threads\n{} slices, {} texts, {} rounds; median (least to most)\n",
               machine(), std::thread::hardware_concurrency(), trace->slice_count(),
               trace->strings.size(), rounds);
    const Question questions[] = {{"name:mm", "mm"},
                                  {"name:cudalaunch", "cudalaunch"},
                                  {"mm", ""},
                                  {"re:^aten::.*mm$", ""},
                                  {"kernel dur>10us", ""},
                                  {"cat:cpu_op -aten [8,", ""},
                                  {"-zzz", ""}};
    bool held = true;
    for (const Question& question : questions) held = ask(trace, question, rounds) && held;
    std::vector<double> steps;
    const Matches all = find_matches(trace, *parse_search("-zzz"));
    SliceRef at = first_match_from(all, trace->origin);
    for (int step = 0; step < 1000 && at; ++step)
        steps.push_back(seconds_of([&] {
            at = match_after(all, at);
            if (at) (void)matches_before(all, at);
        }));
    fmt::print("a step and its number: {:.1f} us in the middle, {:.1f} us at most\n",
               median(steps) * 1e6, *std::max_element(steps.begin(), steps.end()) * 1e6);
    fmt::print("gate: each within {:.0f} ms: {}\n", kGoalSeconds * 1e3, held ? "held" : "NOT HELD");
    fs::remove(path);
    return held ? 0 : 1;
}

}  // namespace
}  // namespace lanescope::bench

int main(int argc, char** argv) {
    if (argc < 2) {
        fmt::print(stderr, "usage: bench_find TRACE [MEGABYTES] [ROUNDS]\n");
        return 2;
    }
    try {
        return lanescope::bench::run(argv[1], argc > 2 ? std::stoull(argv[2]) : 1024,
                                     argc > 3 ? std::stoi(argv[3]) : 15);
    } catch (const std::exception& error) {
        fmt::print(stderr, "bench_find: {}\n", error.what());
        return 1;
    }
}
