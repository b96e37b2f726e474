// How long a frame takes in software OpenGL: the timeline alone, and the whole window, along a
// flight that zooms from the whole trace to a thousandth and back; at last with everything that can
// be drawn: a slice with its chain and panels, every flow, the critical path, and colours by bound.
//   bench_frame TRACE [FRAMES [MEGABYTES]]     repeats the events to so many MB of text
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>
#include <thread>

#include "bench/repeated_trace.h"
#include "ui/shell/window.h"

namespace {

using namespace lanescope;

// The same frames are drawn this often, and each counts with its best time, to exclude other
// programs. A repeated trace is flown through once: each flight reads it from scratch.
constexpr int kFlights = 5;

double quantile(std::vector<double> values, double q) {
    std::sort(values.begin(), values.end());
    return values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1))];
}

void keep_best(std::vector<double>& best, const std::vector<double>& flight) {
    if (best.empty()) best = flight;
    for (std::size_t i = 0; i < best.size(); ++i) best[i] = std::min(best[i], flight[i]);
}

int measure(const char* what, const std::string& file, int frames, const PictureOptions& picture,
            bool timeline_alone, double goal_ms, int flights) {
    FrameTimes best;
    for (int flight = 0; flight < flights; ++flight) {
        const auto times = time_frames(picture, file, frames, timeline_alone);
        if (!times) {
            std::fprintf(stderr, "bench_frame: %s\n", times.error().text.c_str());
            return 1;
        }
        best.renderer = times->renderer;
        keep_best(best.seconds, times->seconds);
        best.slices = times->slices;
        keep_best(best.cpu_seconds, times->cpu_seconds);
        keep_best(best.thread_seconds, times->thread_seconds);
    }
    const auto say = [](const char* name, const std::vector<double>& values) {
        std::printf("%-16s median %6.2f ms   p99 %6.2f ms   most %6.2f ms", name,
                    quantile(values, 0.5) * 1e3, quantile(values, 0.99) * 1e3,
                    quantile(values, 1) * 1e3);
    };
    say(what, best.seconds);
    std::printf("   goal %2.0f ms   %zu slices, %s\n", goal_ms, best.slices, best.renderer.c_str());
    say("", best.cpu_seconds);
    std::printf("   of CPU time, all threads\n");
    say("", best.thread_seconds);
    std::printf("   of CPU time, the window's thread\n");
    std::fflush(stdout);
    return 0;
}

int measure_all(const std::string& file, int frames, int flights) {
    const PictureOptions plain;
    PictureOptions everything;
    everything.select = "gemm";
    everything.color = ColorMode::bound;
    everything.flows = true;
    everything.critical_path = true;
    everything.panel = "Hotspots";
    PictureOptions roofline = everything;
    roofline.color = ColorMode::hotspot;
    roofline.panel = "Roofline";
    int failed = measure("timeline alone", file, frames, plain, true, 16, flights);
    if (!failed) failed = measure("whole window", file, frames, plain, false, 33, flights);
    if (!failed) failed = measure("all drawn", file, frames, everything, false, 33, flights);
    if (!failed) failed = measure("with roofline", file, frames, roofline, false, 33, flights);
    return failed;
}

int run(int argc, char** argv) {
    if (argc < 2 || argc > 4) {
        std::fprintf(stderr, "usage: bench_frame TRACE [FRAMES [MEGABYTES]]\n");
        return 2;
    }
    // Measures without a GPU even if there is one.
    setenv("LIBGL_ALWAYS_SOFTWARE", "1", 1);
    const int frames = argc >= 3 ? std::max(10, std::atoi(argv[2])) : 300;
    std::printf("%s, 1920x1080, %d frames each, best of %d flights, %u processors\n", argv[1],
                frames, argc < 4 ? kFlights : 1, std::thread::hardware_concurrency());
    if (argc < 4) return measure_all(argv[1], frames, kFlights);
    const std::string large =
        std::filesystem::temp_directory_path() / ("frame_" + std::to_string(getpid()));
    lanescope::bench::write_repeated(argv[1], large,
                                     std::strtoull(argv[3], nullptr, 10) * 1'000'000);
    const int failed = measure_all(large, frames, 1);
    std::filesystem::remove(large);
    return failed;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run(argc, argv);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "bench_frame: %s\n", error.what());
        return 1;
    }
}
