// Measures how long a trace's graph replays take to be joined with the capture of their graph, as a
// ratio of the load of the same events without graph launches. Inputs: one large graph; many small
// ones; and the large one with one renamed kernel, so that every replay is aligned. Usage:
// bench_replays [ROUNDS] Writes its inputs to the temporary folder.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/measure.h"
#include "core/ingest/load.h"
#include "core/replays/graph_replays.h"

namespace lanescope::bench {
namespace {

namespace fs = std::filesystem;

constexpr double kGoal = 0.3;
constexpr int kKernelsOfLayer = 12;  // four operators with three kernels each

struct Input {
    const char* name;
    int graphs = 1;
    int kernels = 10'000;  // of a graph
    int replays = 100;
    bool renamed = false;
};

class JsonFile {
  public:
    explicit JsonFile(const std::string& path)
        : file_(std::fopen(path.c_str(), "w"), &std::fclose) {
        if (!file_) throw std::runtime_error(path + ": cannot be written");
        fmt::print(file_.get(), "{{\"schemaVersion\": 1, \"traceEvents\": [\n{{\"ph\": \"M\"}}");
    }
    ~JsonFile() { fmt::print(file_.get(), "]}}\n"); }
    JsonFile(const JsonFile&) = delete;
    JsonFile& operator=(const JsonFile&) = delete;

    void event(std::string_view category, std::string_view name, int process, double begin,
               double duration, const std::string& arguments) {
        fmt::print(
            file_.get(),
            ",\n{{\"ph\": \"X\", \"cat\": \"{}\", \"name\": \"{}\", \"pid\": {}, \"tid\": 7, "
            "\"ts\": {:.3f}, \"dur\": {:.3f}, \"args\": {{{}}}}}",
            category, name, process, begin, duration, arguments);
    }

  private:
    std::unique_ptr<FILE, int (*)(FILE*)> file_;
};

std::string kernel_name(int graph, int kernel) {
    return fmt::format("void kernel_{}<float, {}, 128, 64, 8>(float*, float const*, int)",
                       kernel % kKernelsOfLayer, (graph * 31 + kernel / kKernelsOfLayer) % 97);
}

void write_capture(const Input& input, const std::string& path) {
    JsonFile file(path);
    double now = 1e6;
    int id = 0;
    for (int graph = 0; graph < input.graphs; ++graph) {
        file.event("cuda_runtime", "hipStreamBeginCapture", 1, now, 1, "\"cid\": 1");
        for (int kernel = 0; kernel < input.kernels; ++kernel) {
            now += 10;
            if (kernel % kKernelsOfLayer == 0)
                file.event("python_function",
                           fmt::format("nn.Module: Layer_{}", kernel / kKernelsOfLayer), 1, now,
                           10 * kKernelsOfLayer, "\"Python id\": 1");
            if (kernel % 3 == 0) {
                ++id;
                file.event("cpu_op", fmt::format("aten::op_{}", kernel / 3 % 4), 1, now, 29,
                           fmt::format("\"External id\": {}, \"Input Dims\": [[{}, 4096]]", id,
                                       8 * (kernel % 61)));
            }
            file.event("cuda_runtime", "hipLaunchKernel", 1, now + 2, 5,
                       fmt::format("\"correlation\": {}, \"kernel\": \"{}\"",
                                   graph * input.kernels + kernel + 1, kernel_name(graph, kernel)));
        }
        now += 20;
        file.event("cuda_runtime", "hipStreamEndCapture", 1, now, 1, "\"cid\": 1");
        now += 20;
    }
}

// `launch`: the name of the call that launches each replay.
void write_replays(const Input& input, std::string_view launch, const std::string& path) {
    JsonFile file(path);
    double now = 9e6;
    for (int replay = 0; replay < input.replays; ++replay) {
        file.event("cuda_runtime", launch, 1, now, 20,
                   fmt::format("\"correlation\": {}", replay + 1));
        for (int kernel = 0; kernel < input.kernels; ++kernel) {
            now += 5;
            const bool other = input.renamed && kernel == input.kernels / 2;
            file.event("kernel",
                       other ? "void other()" : kernel_name(replay % input.graphs, kernel), 2, now,
                       4,
                       fmt::format("\"device\": 2, \"stream\": 7, \"correlation\": {}, \"kind\": "
                                   "\"Dispatch Task\"",
                                   replay + 1));
        }
        now += 50;
    }
}

TracePtr load(const std::string& path, const std::vector<TracePtr>& captures) {
    LoadOptions options;
    options.graph_captures = captures;
    const auto trace = load_trace(path, options);
    if (!trace) throw std::runtime_error(trace.error().text);
    return *trace;
}

bool measure(const Input& input, int rounds) {
    const std::string folder = fs::temp_directory_path();
    const std::string capture = folder + "/lanescope_bench_capture.json";
    const std::string run = folder + "/lanescope_bench_replays.json";
    write_capture(input, capture);
    const std::string plain = folder + "/lanescope_bench_plain.json";
    write_replays(input, "hipGraphLaunch", run);
    write_replays(input, "hipOtherLaunch", plain);
    const std::vector<TracePtr> captures = {load(capture, {})};
    std::vector<double> without;
    std::vector<double> with;
    uint64_t linked = 0;
    uint64_t kernels = 0;
    for (int round = 0; round < rounds; ++round) {
        without.push_back(seconds_of([&] { load(plain, {}); }));
        with.push_back(seconds_of([&] {
            const ReplayCounts counts = count_replays(*load(run, captures));
            kernels = counts.kernels;
            linked = kernels - counts.by[static_cast<std::size_t>(ReplayLink::none)];
        }));
    }
    const double ratio = median(with) / median(without) - 1;
    fmt::print("{:<20} {} of {} linked; load {}, with the join {}: {:.2f} x the load more\n",
               input.name, linked, kernels, spread(without), spread(with), ratio);
    fs::remove(capture);
    fs::remove(run);
    fs::remove(plain);
    return ratio <= kGoal;
}

int run(int rounds) {
    fmt::print("{}, {} rounds, in turns; median (minimum to maximum)\n", machine(), rounds);
    const Input inputs[] = {{"one large graph"},
                            {"many small graphs", 200, 50, 20'000},
                            {"one kernel renamed", 1, 10'000, 100, true}};
    bool passed = true;
    for (const Input& input : inputs) passed = measure(input, rounds) && passed;
    fmt::print("{}: at most {} x the load\n", passed ? "passed" : "FAILED", kGoal);
    return passed ? 0 : 1;
}

}  // namespace
}  // namespace lanescope::bench

int main(int argc, char** argv) {
    try {
        return lanescope::bench::run(argc > 1 ? std::atoi(argv[1]) : 5);
    } catch (const std::exception& error) {
        fmt::print(stderr, "bench_replays: {}\n", error.what());
        return 1;
    }
}
