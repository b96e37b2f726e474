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

double quantile(std::vector<double> values, double q) {
    std::sort(values.begin(), values.end());
    return values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1))];
}

int measure(const char* what, const std::string& file, int frames, bool timeline_alone,
            double goal_ms) {
    PictureOptions picture;
    const auto times = time_frames(picture, file, frames, timeline_alone);
    if (!times) {
        std::fprintf(stderr, "bench_frame: %s\n", times.error().text.c_str());
        return 1;
    }
    const double median = quantile(times->seconds, 0.5) * 1e3;
    const double p99 = quantile(times->seconds, 0.99) * 1e3;
    std::printf("%-16s median %6.2f ms   p99 %6.2f ms   goal %2.0f ms   %s\n", what, median, p99,
                goal_ms, times->renderer.c_str());
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
    std::printf("%s, 1920x1080, %d frames each, %u processors\n", argv[1], frames,
                std::thread::hardware_concurrency());
    const int timeline = measure("timeline alone", argv[1], frames, true, 16);
    return timeline ? timeline : measure("whole window", argv[1], frames, false, 33);
}
