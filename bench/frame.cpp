// How long a frame takes in software OpenGL: the timeline alone, and the whole window, along a
// flight that zooms from all of the trace to a thousandth of it and back.
//   bench_frame TRACE [FRAMES]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "ui/shell/window.h"

namespace {

using namespace lanescope;

// The same frames are drawn this often, and each counts by its best time: what else runs costs the
// others.
constexpr int kFlights = 5;

double quantile(std::vector<double> values, double q) {
    std::sort(values.begin(), values.end());
    return values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1))];
}

void keep_best(std::vector<double>& best, const std::vector<double>& flight) {
    if (best.empty()) best = flight;
    for (std::size_t i = 0; i < best.size(); ++i) best[i] = std::min(best[i], flight[i]);
}

int measure(const char* what, const std::string& file, int frames, bool timeline_alone,
            double goal_ms) {
    PictureOptions picture;
    FrameTimes best;
    for (int flight = 0; flight < kFlights; ++flight) {
        const auto times = time_frames(picture, file, frames, timeline_alone);
        if (!times) {
            std::fprintf(stderr, "bench_frame: %s\n", times.error().text.c_str());
            return 1;
        }
        best.renderer = times->renderer;
        keep_best(best.seconds, times->seconds);
        keep_best(best.cpu_seconds, times->cpu_seconds);
    }
    std::printf("%-16s median %6.2f ms   p99 %6.2f ms   goal %2.0f ms   %s\n", what,
                quantile(best.seconds, 0.5) * 1e3, quantile(best.seconds, 0.99) * 1e3, goal_ms,
                best.renderer.c_str());
    std::printf("%-16s median %6.2f ms   p99 %6.2f ms   of CPU time, all threads\n", "",
                quantile(best.cpu_seconds, 0.5) * 1e3, quantile(best.cpu_seconds, 0.99) * 1e3);
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2 || argc > 3) {
        std::fprintf(stderr, "usage: bench_frame TRACE [FRAMES]\n");
        return 2;
    }
    // Whatever GPU there is, this measures without it.
    setenv("LIBGL_ALWAYS_SOFTWARE", "1", 1);
    const int frames = argc == 3 ? std::max(10, std::atoi(argv[2])) : 300;
    std::printf("%s, 1920x1080, %d frames each, best of %d flights, %u processors\n", argv[1],
                frames, kFlights, std::thread::hardware_concurrency());
    const int timeline = measure("timeline alone", argv[1], frames, true, 16);
    return timeline ? timeline : measure("whole window", argv[1], frames, false, 33);
}
