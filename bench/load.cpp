// How soon a large trace is ready for navigation, as ratios within one run:
//   (a) nlohmann_json parsing the (unrepeated) text into a DOM,
//   (b) one thread of simdjson on-demand visiting every field of every event of the large text.
// Measured twice: with ids that count upwards, and with ids that are far apart.
//   bench_load SOURCE_TRACE [MEGABYTES] [ROUNDS]
//   bench_load --cliffs SOURCE_TRACE [MEGABYTES] [ROUNDS]
// The second compares the load of files that differ from a plain one in a single way, in time per
// megabyte. Makes its input in the temporary folder.
#include "core/ingest/load.h"

#include <fmt/format.h>
#include <isa-l/igzip_lib.h>
#include <simdjson.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/cliff_files.h"
#include "bench/measure.h"
#include "bench/repeated_trace.h"

namespace {

using namespace lanescope::bench;

uint64_t visit_fields(const simdjson::padded_string_view& text) {
    simdjson::ondemand::parser parser;
    uint64_t fields = 0;
    simdjson::ondemand::document document = parser.iterate(text);
    for (simdjson::ondemand::object event : document["traceEvents"].get_array()) {
        for (auto field : event) {
            fields += field.unescaped_key().value().size();
            simdjson::ondemand::value value = field.value();
            fields += value.raw_json_token().size();
        }
    }
    return fields;
}

void write_gzip(const std::string& text, const std::string& path) {
    std::vector<uint8_t> out(text.size() / 2 + (1u << 20));
    std::vector<uint8_t> level(ISAL_DEF_LVL1_DEFAULT);
    isal_zstream stream = {};
    isal_deflate_init(&stream);
    stream.level = 1;
    stream.level_buf = level.data();
    stream.level_buf_size = static_cast<uint32_t>(level.size());
    stream.gzip_flag = IGZIP_GZIP;
    stream.end_of_stream = 1;
    stream.next_in = reinterpret_cast<uint8_t*>(const_cast<char*>(text.data()));
    stream.avail_in = static_cast<uint32_t>(text.size());
    stream.next_out = out.data();
    stream.avail_out = static_cast<uint32_t>(out.size());
    isal_deflate(&stream);
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(out.data()), stream.total_out);
}

struct Load {
    double seconds = 0;
    uint64_t events = 0;
};

Load load(const std::string& path, unsigned workers) {
    lanescope::LoadOptions options;
    options.workers = workers;
    lanescope::TracePtr loaded;  // freed outside the measured time
    Load result;
    result.seconds = seconds_of([&] {
        const auto trace = lanescope::load_trace(path, options);
        if (!trace) throw std::runtime_error(trace.error().text);
        loaded = *trace;
    });
    result.events = loaded->facts.events;
    return result;
}

// Measures the peak of memory of a load in a process of its own.
void print_memory(const std::string& program, const std::string& path) {
    const std::string command = fmt::format("'{}' --memory '{}'", program, path);
    if (std::system(command.c_str()) != 0) fmt::print("memory: could not be measured\n");
}

int memory_main(const std::string& path) {
    const uint64_t before = status_bytes("RssAnon");
    const MemoryPeak peak;
    const auto trace = lanescope::load_trace(path);
    const uint64_t after = status_bytes("RssAnon");
    const double events = static_cast<double>((*trace)->facts.events);
    fmt::print(
        "memory {}: peak {:.1f} MB ({:.1f} B an event), once loaded {:.1f} MB ({:.1f} B an "
        "event)\n",
        path.ends_with("gz") ? "from gzip" : "plain",
        static_cast<double>(peak.bytes() - before) / 1e6,
        static_cast<double>(peak.bytes() - before) / events,
        static_cast<double>(after - before) / 1e6, static_cast<double>(after - before) / events);
    return 0;
}

// The times of all rounds.
struct Times {
    std::vector<double> scan, all_workers, one_worker, gzip;
    uint64_t events = 0;

    double over_scan(const std::vector<double>& loads) const {
        std::vector<double> ratios;
        for (std::size_t i = 0; i < loads.size(); ++i) ratios.push_back(scan[i] / loads[i]);
        return median(ratios);
    }
};

Times measure(const std::string& plain, unsigned cores, int rounds) {
    const std::string gzip = plain + ".gz";
    {
        const std::string text = read_whole(plain);
        write_gzip(text, gzip);
    }
    const simdjson::padded_string text = simdjson::padded_string::load(plain);
    Times times;
    for (int round = 0; round < rounds; ++round) {
        times.scan.push_back(seconds_of([&] { (void)visit_fields(text); }));
        const Load all = load(plain, cores);
        times.all_workers.push_back(all.seconds);
        times.one_worker.push_back(load(plain, 1).seconds);
        times.gzip.push_back(load(gzip, cores).seconds);
        times.events = all.events;
    }
    return times;
}

void print(const Times& times, std::string_view ids, double dom_seconds_per_byte, double size,
           unsigned cores) {
    const auto events = static_cast<double>(times.events);
    fmt::print("ids {}: {:.0f} MB, {} events, {:.0f} bytes an event; medians of {} rounds\n", ids,
               size / 1e6, times.events, size / events, times.scan.size());
    const auto row = [&](std::string_view name, double seconds) {
        fmt::print("{:<44} {:7.3f} s {:7.2f} GB/s {:7.0f} ns an event\n", name, seconds,
                   size / seconds / 1e9, seconds * 1e9 / events);
    };
    const double dom = dom_seconds_per_byte * size;
    row("(a) nlohmann_json DOM (rate on one repeat)", dom);
    row("(b) simdjson on-demand fields, one thread", median(times.scan));
    row("load, one worker", median(times.one_worker));
    row(fmt::format("load, {} workers", cores), median(times.all_workers));
    row(fmt::format("load from gzip, {} workers", cores), median(times.gzip));
    fmt::print("load is {:.1f} x (a), {:.2f} x (b) (goal 1.6); from gzip {:.2f} x (b) (goal 1.1)\n",
               dom / median(times.all_workers), times.over_scan(times.all_workers),
               times.over_scan(times.gzip));
}

// Compares each unusual file with the plain one in turns, since other programs disturb the machine.
int cliffs_main(const std::string& source, uint64_t bytes, int rounds) {
    const std::filesystem::path folder = std::filesystem::temp_directory_path();
    const auto path_of = [&](std::string_view name) {
        return (folder / fmt::format("bench_load_{}_{}.json", getpid(), name)).string();
    };
    const std::string plain = path_of("plain");
    const std::string other = path_of("other");
    const EventTexts events(source);
    const auto seconds_per_gb = [](const std::string& path) {
        return load(path, 0).seconds / static_cast<double>(std::filesystem::file_size(path)) * 1e9;
    };
    const std::vector<CliffFile> files = cliff_files(events);
    files.front().write(plain, bytes);
    fmt::print("{:<44} {:>9} {:>11} {:>24}\n", "medians of " + std::to_string(rounds) + " rounds",
               "MB", "s per GB", "against plain (least to most)");
    for (const CliffFile& file : files) {
        file.write(other, bytes);
        std::vector<double> own, ratio;
        for (int round = 0; round < rounds; ++round) {
            const double usual = seconds_per_gb(plain);
            own.push_back(seconds_per_gb(other));
            ratio.push_back(own.back() / usual);
        }
        const auto [lowest, highest] = std::minmax_element(ratio.begin(), ratio.end());
        fmt::print("{:<44} {:>9.0f} {:>11.3f} {:>10.2f} ({:.2f} to {:.2f})\n", file.title,
                   static_cast<double>(std::filesystem::file_size(other)) / 1e6, median(own),
                   median(ratio), *lowest, *highest);
        (void)std::fflush(stdout);
    }
    std::remove(plain.c_str());
    std::remove(other.c_str());
    return 0;
}

int run(int argc, char** argv) {
    if (argc > 2 && std::string_view(argv[1]) == "--memory") return memory_main(argv[2]);
    if (argc > 3 && std::string_view(argv[1]) == "--once") {
        const Load once = load(argv[3], static_cast<unsigned>(std::atoi(argv[2])));
        fmt::print("{} events in {:.3f} s\n", once.events, once.seconds);
        return 0;
    }
    if (argc > 2 && std::string_view(argv[1]) == "--cliffs")
        return cliffs_main(argv[2],
                           (argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 150) * 1'000'000,
                           argc > 4 ? std::atoi(argv[4]) : 5);
    if (argc > 4 && std::string_view(argv[1]) == "--write-cliff") {
        const EventTexts events(argv[2]);
        for (const CliffFile& file : cliff_files(events))
            if (file.title == argv[3]) file.write(argv[4], 150'000'000);
        return 0;
    }
    if (argc < 2) {
        fmt::print(stderr, "usage: bench_load [--cliffs] SOURCE_TRACE [MEGABYTES] [ROUNDS]\n");
        return 2;
    }
    const uint64_t bytes = (argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1000) * 1'000'000;
    const int rounds = argc > 3 ? std::atoi(argv[3]) : 5;
    const std::filesystem::path folder = std::filesystem::temp_directory_path();
    const std::string plain = (folder / fmt::format("bench_load_{}.json", getpid())).string();
    const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
    const std::string small = read_whole(argv[1]);
    const double dom =
        seconds_of([&] { (void)nlohmann::json::parse(small, nullptr, false).size(); }) /
        static_cast<double>(small.size());
    // A profiler that records a window from time to time leaves ids that are far apart.
    std::vector<double> seconds;
    for (const uint64_t id_step : {uint64_t{0}, uint64_t{10'000'000}}) {
        write_repeated(argv[1], plain, bytes, id_step);
        const Times times = measure(plain, cores, rounds);
        seconds.push_back(median(times.all_workers));
        print(times, id_step == 0 ? "dense" : "10,000,000 apart from repeat to repeat", dom,
              static_cast<double>(std::filesystem::file_size(plain)), cores);
        print_memory(argv[0], plain);
        print_memory(argv[0], plain + ".gz");
    }
    fmt::print("sparse ids take {:.2f} x as long as dense ones\n", seconds[1] / seconds[0]);
    std::remove(plain.c_str());
    std::remove((plain + ".gz").c_str());
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run(argc, argv);
    } catch (const std::exception& error) {
        fmt::print(stderr, "bench_load: {}\n", error.what());
        return 1;
    }
}
