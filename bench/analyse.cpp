// Measures how fast all tables of a trace are computed.
//   1. `lanescope report TRACE`, and five commands `lanescope table`, one after another, with the
//      answers of HTA's analyses. Compared with seven analyses by HTA 0.5.0 (installed from PyPI
//      into the build folder if it is missing).
//   2. The same trace repeated to a gigabyte: its load, all tables, and each table alone.
// Usage: bench_analyse TRACE [MEGABYTES] [ROUNDS]
//        bench_analyse --each TRACE [ROUNDS]        each table alone, on one core
//        bench_analyse --instructions TRACE         the same in instructions, counted by callgrind
// Writes its input to the temporary folder. MEGABYTES of 0 leaves the second part out.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/callgrind.h"
#include "bench/measure.h"
#include "bench/processes.h"
#include "bench/repeated_trace.h"
#include "core/analysis/critical_path/dependency_graph.h"
#include "core/analysis/structure/attribution.h"
#include "core/analysis/structure/call_tree.h"
#include "core/analysis/structure/steps.h"
#include "core/analysis/work/work_models.h"
#include "core/base/parallel.h"
#include "core/ingest/load.h"
#include "core/registry/tables.h"

namespace lanescope::bench {
namespace {

namespace fs = std::filesystem;

// Goals: all tables and all models over the load at most.
constexpr double kLoadGoal = 2;
constexpr double kModelsGoal = 0.5;

TracePtr load(const std::string& path, unsigned workers) {
    LoadOptions options;
    options.workers = workers;
    const auto trace = load_trace(path, options);
    if (!trace) throw std::runtime_error(trace.error().text);
    return *trace;
}

unsigned cores() {
    return std::max(1U, std::thread::hardware_concurrency());
}

std::string table_title(const TableMaker& maker) {
    return maker.spec->by.empty() ? std::string(maker.spec->name)
                                  : fmt::format("{} --by {}", maker.spec->name, maker.spec->by);
}

struct Part {
    std::string title;
    std::size_t rows = 0;
    double seconds = 0;
};

// Each table once, in sequence; results that several tables share come first.
std::vector<Part> each_alone(const TracePtr& trace) {
    const TraceContext context(trace);
    std::vector<Part> parts;
    const auto measure = [&](const std::string& title, const auto& work) {
        callgrind_zero();
        std::size_t rows = 0;
        const double seconds = seconds_of([&] { rows = work(); });
        callgrind_dump(title.c_str());
        parts.push_back({title, rows, seconds});
    };
    measure("(call trees)", [&] { return context.get<CallTrees>().by_lane.size(); });
    measure("(attribution)", [&] { return context.get<Attribution>().launch.size(); });
    measure("(steps)", [&] { return context.get<Steps>().all.size(); });
    measure("(models)", [&] { return context.get<WorkModels>().calls.size(); });
    measure("(dependencies)", [&] { return context.get<DependencyGraph>().time.size(); });
    for (const TableMaker& maker : table_makers()) {
        std::optional<Table> table;  // freed outside the measured time
        measure(table_title(maker), [&] {
            table = maker.make(context, {});
            return table->row_count();
        });
    }
    return parts;
}

// The Python of an environment with HTA, created in the build folder; empty on failure.
std::optional<std::string> python_with_hta() {
    const fs::path folder = fs::read_symlink("/proc/self/exe").parent_path() / "../hta/venv";
    const std::string python = (folder / "bin/python").lexically_normal().string();
    const auto has_hta = [&] {
        return run_command(fmt::format("'{}' -c 'import hta' 2>/dev/null", python)).has_value();
    };
    if (has_hta()) return python;
    const auto created =
        run_command(fmt::format("python3 -m venv '{}' 2>/dev/null", folder.string()));
    if (created)
        (void)run_command(fmt::format(
            "'{}' -m pip install --quiet HolisticTraceAnalysis==0.5.0 2>/dev/null", python));
    if (has_hta()) return python;
    return std::nullopt;
}

double parse_seconds(const std::string& output, std::string_view name) {
    const std::size_t at = output.find(fmt::format(" {}\n", name));
    if (at == std::string::npos)
        throw std::runtime_error("HTA's output has no such time: " + output);
    const std::size_t line = output.rfind('\n', at) + 1;  // npos + 1 is 0
    return std::strtod(output.c_str() + line, nullptr);
}

// The tables equivalent to six of HTA's seven analyses, all but the bandwidth of copies: breakdown
// and overlap, idle time, kernels, launches, and their queue.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kLikeHta = {
    {{"breakdown", ""},
     {"gaps", "hta"},
     {"kernels", ""},
     {"launches", "stream"},
     {"launches", "queue"}}};

struct CommandRuns {
    std::vector<double> seconds, cpu_seconds;

    void add(const std::vector<Run>& runs) {
        double clock = 0;
        double cpu = 0;
        for (const Run& run : runs) {
            clock += run.seconds;
            cpu += run.cpu_seconds;
        }
        seconds.push_back(clock);
        cpu_seconds.push_back(cpu);
    }
};

Run run_lanescope(std::vector<std::string> words, const std::string& out) {
    words.insert(words.begin(), LANESCOPE_PROGRAM);
    words.insert(words.end(), {"-o", out});
    return run_program(words);
}

std::vector<Run> run_tables(const std::string& path, const std::string& out) {
    std::vector<Run> runs;
    for (const auto& [table, by] : kLikeHta) {
        std::vector<std::string> words = {"table", std::string(table), path, "--format", "csv"};
        if (!by.empty()) words.insert(words.end(), {"--by", std::string(by)});
        runs.push_back(run_lanescope(words, out));
    }
    return runs;
}

// Compares commands that people call with HTA.
void compare_with_hta(const std::string& path, int rounds) {
    const std::optional<std::string> python = python_with_hta();
    const fs::path out = fs::temp_directory_path() / fmt::format("analyse_{}", getpid());
    CommandRuns report, tables;
    std::vector<double> hta, hta_whole, ratio, tables_ratio;
    for (int round = 0; round < rounds; ++round) {
        report.add({run_lanescope({"report", path}, out.string() + ".html")});
        tables.add(run_tables(path, out.string() + ".csv"));
        if (!python) continue;
        const auto peer =
            run_command(fmt::format("'{}' '{}/bench/hta_analyses.py' '{}' 2>/dev/null", *python,
                                    LANESCOPE_SOURCE_DIR, path));
        if (!peer) throw std::runtime_error("HTA failed");
        hta.push_back(parse_seconds(peer->output, "all"));
        hta_whole.push_back(peer->seconds);
        ratio.push_back(hta.back() / report.seconds.back());
        tables_ratio.push_back(hta.back() / tables.seconds.back());
    }
    for (const char* ending : {".html", ".csv"}) fs::remove(out.string() + ending);
    fmt::print("lanescope report:                              {}, {:.3f} s of CPU time\n",
               spread(report.seconds), median(report.cpu_seconds));
    fmt::print("{} commands lanescope table, each with a load:  {}, {:.3f} s of CPU time\n",
               kLikeHta.size(), spread(tables.seconds), median(tables.cpu_seconds));
    if (!python) {
        fmt::print("HTA 0.5.0 could not be installed: no ratio\n");
        return;
    }
    fmt::print("HTA 0.5.0, load and seven analyses:            {}\n", spread(hta));
    fmt::print("HTA 0.5.0, whole process with its imports:     {}\n", spread(hta_whole));
    fmt::print(
        "HTA's load and analyses, without imports, take {:.1f} x as long as the report, and "
        "{:.1f} x as long as the commands\n",
        median(ratio), median(tables_ratio));
}

std::vector<Table> all_tables_of(const TraceContext& context) {
    const std::span<const TableMaker> makers = table_makers();
    std::vector<std::optional<Table>> made(makers.size());
    parallel_for(cores(), made.size(),
                 [&](std::size_t i) { made[i] = makers[i].make(context, {}); });
    std::vector<Table> tables;
    for (std::optional<Table>& table : made) tables.push_back(std::move(*table));
    return tables;
}

// Prints the memory that the load, and then the tables, add at their peak. Runs in a separate
// process.
int print_memory(const std::string& path) {
    const auto mb = [](uint64_t bytes) { return static_cast<double>(bytes) / 1e6; };
    const uint64_t before = status_bytes("RssAnon");
    MemoryPeak peak;
    const TracePtr trace = load(path, cores());
    const uint64_t load_peak = peak.bytes();
    const uint64_t loaded = status_bytes("RssAnon");
    peak.start_again();
    const TraceContext context(trace);
    const auto tables = all_tables_of(context);
    const uint64_t computed = status_bytes("RssAnon");
    fmt::print(
        "memory: load {:.0f} MB at most, {:.0f} MB once loaded; all tables at once {:.0f} MB more "
        "at most, {:.0f} MB more when computed\n",
        mb(load_peak - before), mb(loaded - before), mb(peak.bytes() - loaded),
        mb(computed - loaded));
    return 0;
}

// All models of operators with their prerequisites, compared with a load of the file.
void measure_models(const std::string& path, int rounds) {
    std::vector<double> loads, models, ratio;
    std::size_t modelled = 0;
    for (int round = 0; round < rounds; ++round) {
        TracePtr trace;
        loads.push_back(seconds_of([&] { trace = load(path, cores()); }));
        const TraceContext context(trace);
        models.push_back(
            seconds_of([&] { modelled = context.get<WorkModels>().instances.size(); }));
        ratio.push_back(models.back() / loads.back());
    }
    fmt::print("load on {} cores: {}\nmodels of {} operators: {}\n", cores(), spread(loads),
               modelled, spread(models));
    fmt::print("all models take {:.2f} x the load (goal at most {:.1f})\n", median(ratio),
               kModelsGoal);
}

void print_parts(const std::vector<std::vector<Part>>& rounds) {
    double sum = 0;
    for (std::size_t i = 0; i < rounds.front().size(); ++i) {
        std::vector<double> seconds;
        seconds.reserve(rounds.size());
        for (const auto& round : rounds) seconds.push_back(round[i].seconds);
        sum += median(seconds);
        fmt::print("  {:<24} {:>9} rows  {}\n", rounds.front()[i].title, rounds.front()[i].rows,
                   spread(seconds));
    }
    fmt::print("  {:<24} {:>9}       {:.3f} s\n", "sum of medians", "", sum);
}

void measure_repeated(const std::string& program, const std::string& source, uint64_t megabytes,
                      int rounds) {
    const std::string path =
        (fs::temp_directory_path() / fmt::format("bench_analyse_{}.json", getpid())).string();
    write_repeated(source, path, megabytes * 1'000'000);
    std::vector<double> loads, tables, ratio;
    std::vector<std::vector<Part>> parts;
    uint64_t events = 0;
    for (int round = 0; round < rounds; ++round) {
        TracePtr trace;
        loads.push_back(seconds_of([&] { trace = load(path, cores()); }));
        events = trace->facts.events;
        {
            const TraceContext context(trace);
            std::vector<Table> computed;
            tables.push_back(seconds_of([&] { computed = all_tables_of(context); }));
        }
        ratio.push_back(tables.back() / loads.back());
        parts.push_back(each_alone(trace));
    }
    fmt::print("\n{:.0f} MB, {} events:\n", static_cast<double>(fs::file_size(path)) / 1e6, events);
    fmt::print("load on {} cores:       {}\n", cores(), spread(loads));
    fmt::print("all tables on {} cores: {}\n", cores(), spread(tables));
    fmt::print("all tables take {:.2f} x the load (goal at most {:.0f})\n", median(ratio),
               kLoadGoal);
    measure_models(path, rounds);
    fmt::print("each alone, after the results that several share (in brackets):\n");
    print_parts(parts);
    (void)std::fflush(stdout);
    if (std::system(fmt::format("'{}' --memory '{}'", program, path).c_str()) != 0)
        fmt::print("memory: could not be measured\n");
    std::remove(path.c_str());
}

int each_main(const std::string& path, int rounds) {
    callgrind_zero();
    const TracePtr trace = load(path, 1);
    callgrind_dump("(load)");
    std::vector<std::vector<Part>> parts(static_cast<std::size_t>(std::max(1, rounds)));
    for (std::vector<Part>& round : parts) round = each_alone(trace);
    print_parts(parts);
    return 0;
}

// Adds the instruction count of a file that callgrind wrote, by the name of the measured part.
void read_dump(const fs::path& path, std::map<std::string, uint64_t>& counts) {
    std::ifstream file(path);
    std::string name;
    for (std::string line; std::getline(file, line);) {
        constexpr std::string_view request = "desc: Trigger: Client Request: ";
        constexpr std::string_view summary = "summary: ";
        if (line.starts_with(request)) name = line.substr(request.size());
        if (line.starts_with(summary) && !name.empty())
            counts[name] = std::strtoull(line.c_str() + summary.size(), nullptr, 10);
    }
}

int instructions_main(const std::string& program, const std::string& path) {
    if (!callgrind_is_built_in()) return 1;
    const fs::path folder = fs::temp_directory_path() / fmt::format("analyse_{}", getpid());
    fs::create_directory(folder);
    const auto run = run_command(
        fmt::format("valgrind --tool=callgrind --callgrind-out-file='{}/out' '{}' --each '{}' 1 "
                    "2>/dev/null",
                    folder.string(), program, path));
    std::map<std::string, uint64_t> counts;
    for (const auto& entry : fs::directory_iterator(folder)) read_dump(entry.path(), counts);
    fs::remove_all(folder);
    if (!run || counts.empty()) {
        fmt::print(stderr, "bench_analyse: valgrind could not be run; is it installed?\n");
        return 1;
    }
    const uint64_t events = load(path, 0)->facts.events;
    for (const auto& [title, count] : counts)
        fmt::print("{:<24} {:>9.1f} million instructions, {:>6.0f} per event\n", title,
                   static_cast<double>(count) / 1e6,
                   static_cast<double>(count) / static_cast<double>(events));
    const auto count = [&](const char* title) { return static_cast<double>(counts[title]); };
    fmt::print(
        "models, with the call trees and the attribution that they need, take {:.2f} x the load's "
        "instructions on one core\n",
        (count("(call trees)") + count("(attribution)") + count("(models)")) / count("(load)"));
    return 0;
}

int run(const std::vector<std::string>& words) {
    const std::string& first = words.size() > 1 ? words[1] : std::string("--help");
    const auto word = [&](std::size_t i, int otherwise) {
        return words.size() > i ? std::atoi(words[i].c_str()) : otherwise;
    };
    if (words.size() > 2 && first == "--memory") return print_memory(words[2]);
    if (words.size() > 2 && first == "--models") {
        measure_models(words[2], word(3, 5));
        return 0;
    }
    if (words.size() > 2 && first == "--each") return each_main(words[2], word(3, 5));
    if (words.size() > 2 && first == "--instructions") return instructions_main(words[0], words[2]);
    if (first.starts_with("--")) {
        fmt::print(stderr,
                   "usage: bench_analyse TRACE [MEGABYTES] [ROUNDS]\n"
                   "       bench_analyse --each TRACE [ROUNDS]\n"
                   "       bench_analyse --models TRACE [ROUNDS]\n"
                   "       bench_analyse --instructions TRACE\n");
        return 2;
    }
    const int rounds = word(3, 5);
    fmt::print("{}, {} cores; medians (minimum to maximum) of {} rounds\n", machine(), cores(),
               rounds);
    compare_with_hta(first, rounds);
    (void)std::fflush(stdout);
    if (const int megabytes = word(2, 1000); megabytes > 0)
        measure_repeated(words[0], first, static_cast<uint64_t>(megabytes), rounds);
    return 0;
}

}  // namespace
}  // namespace lanescope::bench

int main(int argc, char** argv) {
    try {
        return lanescope::bench::run({argv, argv + argc});
    } catch (const std::exception& error) {
        fmt::print(stderr, "bench_analyse: {}\n", error.what());
        return 1;
    }
}
