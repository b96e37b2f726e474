// Measures frame times in software OpenGL: the timeline alone, the whole window, and the window
// with everything that can be drawn (a selected slice with its chain and panels, all flows, the
// critical path, colours by bound). The flight zooms from the whole trace to a thousandth and back.
//   bench_frame TRACE [FRAMES [MEGABYTES]]     with MEGABYTES, repeats the events to that size
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>
#include <thread>

#include "bench/repeated_trace.h"
#include "ui/app/run_window.h"

namespace {

using namespace lanescope;

// Number of flights over the same frames. The best time of each frame counts, because other
// programs only add time. A repeated trace gets one flight, since each flight loads the file again.
constexpr int kFlights = 5;

double quantile(std::vector<double> values, double q) {
    std::sort(values.begin(), values.end());
    return values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1))];
}

void keep_best(std::vector<double>& best, const std::vector<double>& flight) {
    if (best.empty()) best = flight;
    for (std::size_t i = 0; i < best.size(); ++i) best[i] = std::min(best[i], flight[i]);
}

int measure(const char* title, const std::string& file, int frames, const PictureOptions& picture,
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
    const auto print = [](const char* name, const std::vector<double>& values) {
        std::printf("%-16s median %6.2f ms   p99 %6.2f ms   max %6.2f ms", name,
                    quantile(values, 0.5) * 1e3, quantile(values, 0.99) * 1e3,
                    quantile(values, 1) * 1e3);
    };
    print(title, best.seconds);
    std::printf("   goal %2.0f ms   %zu slices, %s\n", goal_ms, best.slices, best.renderer.c_str());
    print("", best.cpu_seconds);
    std::printf("   of CPU time, all threads\n");
    print("", best.thread_seconds);
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
