// Measures how a file's contents, apart from its size, affect its load time. Writes files of the
// same size, each of which differs from the plain one in a single property. Prints each file's load
// time per MB as a multiple of the plain file's, measured in the same rounds.
// Usage: bench_shapes [MEGABYTES] [ROUNDS] [SHAPE...]
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/measure.h"
#include "core/ingest/load.h"

namespace {

using namespace lanescope::bench;

// Scatters numbers over 64 bits, the same in each run (the finaliser of SplitMix64, Vigna 2015).
uint64_t scatter(uint64_t value) {
    value += 0x9e3779b97f4a7c15;
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
    value = (value ^ value >> 27) * 0x94d049bb133111eb;
    return value ^ value >> 31;
}

// The properties in which files differ, as functions of a launch's number.
struct Launch {
    std::function<uint64_t(uint64_t)> id = [](uint64_t i) { return i + 1; };
    std::function<uint64_t(uint64_t)> thread = [](uint64_t i) { return 100 + i % 4; };
    std::function<std::string(uint64_t)> name = [](uint64_t i) {
        return fmt::format("void gemm_kernel<{}, float>(float const*, float*)", i % 50);
    };
};

// Events as PyTorch writes them: an operator, the call that launches a kernel, and the kernel.
std::string launch_events(const Launch& shape, uint64_t i) {
    const uint64_t thread = shape.thread(i);
    const uint64_t id = shape.id(i);
    const uint64_t ts = 20 * i;
    return fmt::format(
        R"({{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":9,"tid":{},"ts":{}.125,"dur":15.5,"args":{{"External id":{}}}}},
{{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":9,"tid":{},"ts":{}.25,"dur":5.125,"args":{{"External id":{},"correlation":{}}}}},
{{"ph":"X","cat":"kernel","name":"{}","pid":0,"tid":7,"ts":{}.5,"dur":9.75,"args":{{"device":0,"stream":7,"External id":{},"correlation":{}}}}},
)",
        thread, ts, id, thread, ts + 2, id, id, shape.name(i), ts + 10, id, id);
}

// A begin and an end with an id on the same thread: flows (s, f) or async ranges (b, e).
std::string paired_events(const std::string& id, char begin, char end, uint64_t i) {
    return launch_events({}, i) +
           fmt::format(
               R"({{"ph":"{}","cat":"c","name":"n","id":{},"pid":9,"tid":100,"ts":{}.5}},
{{"ph":"{}","cat":"c","name":"n","id":{},"pid":9,"tid":100,"ts":{}.5}},
)",
               begin, id, 20 * i, end, id, 20 * i + 10);
}

// An operator whose fields are rotated, so that events begin with different fields.
std::string rotated_events(uint64_t i) {
    const std::vector<std::string> fields = {
        R"("ph":"X")",          R"("cat":"cpu_op")",
        R"("name":"aten::mm")", R"("pid":9)",
        R"("tid":100)",         fmt::format(R"("ts":{}.125)", 20 * i),
        R"("dur":15.5)",        fmt::format(R"("args":{{"External id":{}}})", i + 1)};
    std::string event = "{";
    for (std::size_t k = 0; k < fields.size(); ++k)
        event += (k > 0 ? "," : "") + fields[(scatter(i) + k) % fields.size()];
    return event + "},\n";
}

struct Shape {
    std::string_view name;
    std::function<std::string(uint64_t)> events;
};

std::function<std::string(uint64_t)> launches(Launch shape) {
    return [shape = std::move(shape)](uint64_t i) { return launch_events(shape, i); };
}

// Pairs of events with ids computed by `id`.
std::function<std::string(uint64_t)> pairs(char begin, char end, std::string (*id)(uint64_t)) {
    return [=](uint64_t i) { return paired_events(id(i), begin, end, i); };
}

std::string number_id(uint64_t i) {
    return std::to_string(i + 1);
}
std::string text_id(uint64_t i) {
    return fmt::format("\"{:#x}\"", scatter(i));
}

std::vector<Shape> all_shapes() {
    Launch far_apart, scattered, one_id, many_threads, new_names;
    far_apart.id = [](uint64_t i) { return i / 10'000 * 10'000'000 + i % 10'000 + 1; };
    scattered.id = [](uint64_t i) { return scatter(i) >> 2; };
    one_id.id = [](uint64_t) { return uint64_t{7}; };
    many_threads.thread = [](uint64_t i) { return scatter(i) % 100'000; };
    new_names.name = [](uint64_t i) { return fmt::format("kernel_{:016x}", scatter(i)); };
    const auto shuffled = [](uint64_t i) {
        // The odd factor permutes the launches within each block of 65,536.
        return launch_events({}, i / 65'536 * 65'536 + i * 40'503 % 65'536);
    };
    const auto instants = [](uint64_t i) {
        return fmt::format(R"({{"ph":"i","s":"t","name":"mark","pid":9,"tid":100,"ts":{}.5}},
)",
                           i);
    };
    return {{"plain", launches({})},
            {"ids in windows far apart", launches(far_apart)},
            {"ids scattered over 62 bits", launches(scattered)},
            {"one id for all", launches(one_id)},
            {"100,000 threads", launches(many_threads)},
            {"a new name for each kernel", launches(new_names)},
            {"shuffled", shuffled},
            {"fields in changing order", rotated_events},
            {"instants in one lane", instants},
            {"flows", pairs('s', 'f', number_id)},
            {"flows with text ids", pairs('s', 'f', text_id)},
            {"async ranges", pairs('b', 'e', number_id)},
            {"async ranges with text ids", pairs('b', 'e', text_id)}};
}

void write(const Shape& shape, const std::string& path, uint64_t bytes) {
    std::ofstream out(path, std::ios::binary);
    out << "{\"traceEvents\":[\n";
    uint64_t written = 0;
    for (uint64_t i = 0; written < bytes; ++i) {
        const std::string events = shape.events(i);
        out << events;
        written += events.size();
    }
    out << R"({"ph":"M","name":"process_name","pid":9,"args":{"name":"python"}}]})";
    if (!out.flush()) throw std::runtime_error("cannot write " + path);
}

double load_seconds(const std::string& path) {
    lanescope::TracePtr loaded;  // freed outside the measured time
    return seconds_of([&] {
        const auto trace = lanescope::load_trace(path);
        if (!trace) throw std::runtime_error(trace.error().text);
        loaded = *trace;
    });
}

int run(int argc, char** argv) {
    const uint64_t bytes = (argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 100) * 1'000'000;
    const int rounds = argc > 2 ? std::atoi(argv[2]) : 5;
    const std::vector<std::string_view> wanted(argv + std::min(argc, 3), argv + argc);
    std::vector<Shape> shapes = all_shapes();
    std::erase_if(shapes, [&](const Shape& shape) {
        return shape.name != "plain" && !wanted.empty() &&
               std::find(wanted.begin(), wanted.end(), shape.name) == wanted.end();
    });
    const std::string prefix =
        (std::filesystem::temp_directory_path() / fmt::format("bench_shapes_{}_", getpid()))
            .string();
    std::vector<std::string> paths;
    for (const Shape& shape : shapes) {
        paths.push_back(fmt::format("{}{}.json", prefix, paths.size()));
        write(shape, paths.back(), bytes);
    }
    std::vector<std::vector<double>> seconds(shapes.size());
    for (int round = 0; round < rounds; ++round)
        for (std::size_t i = 0; i < shapes.size(); ++i)
            seconds[i].push_back(load_seconds(paths[i]));
    const double plain = median(seconds[0]);
    fmt::print("{} MB each; median load times of {} rounds, and their ratio to plain's per MB\n",
               bytes / 1'000'000, rounds);
    for (std::size_t i = 0; i < shapes.size(); ++i)
        fmt::print("{:<30} {:>32} {:6.2f}\n", shapes[i].name, spread(seconds[i]),
                   median(seconds[i]) / plain);
    for (const std::string& path : paths) std::remove(path.c_str());
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run(argc, argv);
    } catch (const std::exception& error) {
        fmt::print(stderr, "bench_shapes: {}\n", error.what());
        return 1;
    }
}
