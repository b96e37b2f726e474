// Measures the time to build a frame and to do a hit test, along a flight through fifty million
// slices, compared with fifty thousand.
//
//     bench_view [--slices N] [--frames N] [TRACE]    with TRACE, also through its text repeated to
//     1 GB bench_view --instructions [...]                 counted by valgrind instead of timed
//
// The flight is a script of key presses, wheel turns and jumps to random slices with a fixed seed,
// flown by the real camera at 60 frames a second, 1600 pixels wide, with at most 60 rows of the
// trace. A frame is culled, and its quads are written as a painter does. The flight is repeated; a
// frame's best time counts, since other programs only add time. Times are wall-clock times; in
// dense frames, a second thread shares the work. Exits with 1 if a limit is exceeded.
#include <fmt/format.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bench/callgrind.h"
#include "bench/flight.h"
#include "bench/measure.h"
#include "bench/repeated_trace.h"
#include "bench/synthetic_trace.h"
#include "core/base/format.h"
#include "core/ingest/load.h"
#include "core/view/cull.h"
#include "core/view/overview.h"
#include "core/view/pick.h"

namespace lanescope::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kMaxFrameNanos = 2e6;
constexpr double kMaxRatio = 1.5;
constexpr double kMaxHitNanos = 10e3;
constexpr int kFlights = 15;
constexpr std::size_t kCountedFrames = 20;

struct Options {
    uint32_t slices = 50'000'000;
    std::size_t frames = 3000;
    std::string path;             // of a trace to repeat; can be empty
    bool under_valgrind = false;  // only count instructions
};

// CPU time of this thread in ns, so that other programs do not count.
double cpu_nanos() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

double nanos_since(Clock::time_point begin) {
    return std::chrono::duration<double, std::nano>(Clock::now() - begin).count();
}

double quantile(std::vector<double> values, double q) {
    std::sort(values.begin(), values.end());
    return values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1))];
}

struct Vertex {
    float x, y, u, v;
    uint32_t color;
};

void add_quad(std::vector<Vertex>& vertices, float x0, float x1, float y0, float y1, float u0,
              float u1, float v, uint32_t color) {
    vertices.push_back({x0, y0, u0, v, color});
    vertices.push_back({x1, y0, u1, v, color});
    vertices.push_back({x1, y1, u1, v, color});
    vertices.push_back({x0, y1, u0, v, color});
}

// Does what a painter does with the items of a frame, except passing them to a GPU.
void write_quads(const DrawItems& items, const LaneLayout& layout, const Palette& palette,
                 std::vector<Vertex>& vertices) {
    vertices.clear();
    const float texel = 1.0F / static_cast<float>(std::max(items.strips.width, 1U));
    for (const RowItems& row : items.rows) {
        const LayoutRow& place = layout.rows[row.row];
        const auto y0 = static_cast<float>(place.y);
        const auto y1 = static_cast<float>(place.y + place.height);
        for (uint32_t i = row.run_begin; i < row.run_end; ++i) {
            const auto x0 = static_cast<float>(items.runs[i].x0);
            const auto x1 = static_cast<float>(items.runs[i].x1);
            add_quad(vertices, x0, x1, y0, y1, x0 * texel, x1 * texel,
                     static_cast<float>(row.strip), ~0U);
        }
        for (uint32_t i = row.rect_begin; i < row.rect_end; ++i) {
            const RectItem& rect = items.rects[i];
            add_quad(vertices, rect.x0, rect.x1, y0, y1, 0, 0, 0,
                     palette.looks[rect.slot].fill.packed());
        }
    }
}

struct Figures {
    std::vector<double> frames;  // wall-clock ns of each frame, the best of all flights
    std::vector<double> alone;   // CPU time in ns with one thread, the best of all flights
    std::vector<double> hits;    // ns
    std::size_t max_rects = 0;
    std::size_t max_runs = 0;
    std::size_t dense = 0;   // frames of all flights that are dense enough to be shared
    std::size_t shared = 0;  // dense frames in which the second thread finished a part in time
};

struct Stage {
    const ViewIndexPtr& index;
    const LaneLayout& layout;
    const std::vector<Viewport>& views;
    Palette palette;
    CullOptions options;
    std::vector<Vertex> vertices;

    const DrawItems& build(Culler& culler, const Viewport& view) {
        const DrawItems& items =
            culler.cull({index, layout, palette, view, 0, layout.height, options});
        write_quads(items, layout, palette, vertices);
        return items;
    }
};

void fly_and_measure(Stage& stage, Figures& figures, Random& random) {
    Culler alone(Culler::Sharing::never);
    Culler culler;
    for (std::size_t f = 0; f < stage.views.size(); ++f) {
        const auto begin = Clock::now();
        const DrawItems& items = stage.build(culler, stage.views[f]);
        figures.frames[f] = std::min(figures.frames[f], nanos_since(begin));
        figures.max_rects = std::max(figures.max_rects, items.rects.size());
        figures.max_runs = std::max(figures.max_runs, items.runs.size());
        figures.dense += culler.last_work().visited >= Culler::kDense;
        figures.shared += culler.last_work().rows_by_other > 0;

        const double x = kWidth * random.unit();
        const double y = stage.layout.height * random.unit();
        const auto hit_begin = Clock::now();
        const Hit hit = pick(*stage.index, stage.layout, stage.views[f], x, y, stage.options);
        figures.hits.push_back(nanos_since(hit_begin));
        if (hit.kind == HitKind::run && hit.count < 2) std::abort();
    }
    for (std::size_t f = 0; f < stage.views.size(); ++f) {
        const double begin = cpu_nanos();
        stage.build(alone, stage.views[f]);
        figures.alone[f] = std::min(figures.alone[f], cpu_nanos() - begin);
    }
}

Figures measure(Stage& stage) {
    Figures figures;
    figures.frames.assign(stage.views.size(), 1e18);
    figures.alone.assign(stage.views.size(), 1e18);
    Random random(3);
    for (int flight = 0; flight < kFlights; ++flight) fly_and_measure(stage, figures, random);
    return figures;
}

// Instructions of one thread, averaged over the twenty frames around the 99th percentile by work.
// Does nothing outside valgrind's callgrind.
void count_instructions(Stage& stage, const char* name) {
    Culler culler(Culler::Sharing::never);
    std::vector<std::pair<std::size_t, std::size_t>> order;
    for (std::size_t f = 0; f < stage.views.size(); ++f) {
        stage.build(culler, stage.views[f]);
        order.emplace_back(culler.last_work().visited, f);
    }
    std::sort(order.begin(), order.end());
    const std::size_t middle = order.size() * 99 / 100;
    callgrind_start();
    callgrind_zero();
    for (std::size_t i = 0; i < kCountedFrames; ++i)
        stage.build(culler, stage.views[order[middle - kCountedFrames / 2 + i].second]);
    callgrind_dump(name);
    callgrind_stop();
}

void print(const Figures& figures) {
    const auto line = [](const char* what, const std::vector<double>& times) {
        fmt::print("  {:<24} median {:>9}  p99 {:>9}  worst {:>9}\n", what,
                   format_duration(quantile(times, 0.5)), format_duration(quantile(times, 0.99)),
                   format_duration(quantile(times, 1)));
    };
    line("frame", figures.frames);
    line("one thread, CPU time", figures.alone);
    line("hit test", figures.hits);
    fmt::print("  at most {} rectangles, {} runs; shared {} of {} dense frames\n",
               format_count(static_cast<int64_t>(figures.max_rects)),
               format_count(static_cast<int64_t>(figures.max_runs)), figures.shared, figures.dense);
}

std::size_t bytes_of_levels(const Trace& trace) {
    std::size_t bytes = 0;
    for (const Lane& lane : trace.lanes) {
        for (const auto& chunk : lane.chunks) {
            for (const DepthRow& row : chunk->rows) bytes += row.levels.bytes();
        }
    }
    return bytes;
}

Figures measure_trace(const char* name, const TracePtr& trace, const Options& options) {
    const ViewIndexPtr index = build_view_index(trace);
    LaneLayout layout = build_layout(*trace, {}, {});
    if (layout.rows.size() > kRows + 2) layout.height = layout.rows[kRows + 2].y;
    const std::vector<Viewport> views = fly(*trace, options.frames);
    Stage stage{index, layout, views, build_palette(Theme::dark), {}, {}};
    if (options.under_valgrind) {
        count_instructions(stage, name);
        return {};
    }
    const auto slices = static_cast<int64_t>(trace->slice_count());
    const auto begin = Clock::now();
    const Overview overview = build_overview(*index, trace->content, static_cast<uint32_t>(kWidth));
    const double overview_nanos = nanos_since(begin);
    fmt::print("{}: {} slices, {} rows; levels of detail {:.2f} bytes per slice; overview {}\n",
               name, format_count(slices), layout.rows.size(),
               static_cast<double>(bytes_of_levels(*trace)) /
                   static_cast<double>(std::max<int64_t>(slices, 1)),
               format_duration(overview_nanos));
    Figures figures = measure(stage);
    print(figures);
    return figures;
}

TracePtr make_trace(uint32_t slices) {
    const auto trace = synthetic_trace(slices);
    const auto begin = Clock::now();
    for (Lane& lane : trace->lanes) {
        auto chunk = std::const_pointer_cast<Chunk>(lane.chunks[0]);
        for (DepthRow& row : chunk->rows) {
            const auto part = [&](const auto& column) {
                return column.span().subspan(row.begin, row.size());
            };
            row.levels = build_levels(part(chunk->start), part(chunk->duration), part(chunk->name),
                                      part(chunk->category));
        }
    }
    if (slices >= 1'000'000)
        fmt::print("levels of detail built in {}\n", format_duration(nanos_since(begin)));
    return trace;
}

bool check_limit(const char* name, double value, double limit, const std::string& text) {
    const bool passed = value <= limit;
    fmt::print("{} {}: {}\n", passed ? "ok  " : "FAIL", name, text);
    return passed;
}

// The text of a trace repeated to about 1 GB.
std::optional<TracePtr> load_repeated(const std::string& path) {
    const auto large = std::filesystem::temp_directory_path() / fmt::format("view_{}", getpid());
    write_repeated(path, large, 1'000'000'000);
    auto trace = load_trace(large);
    std::filesystem::remove(large);
    if (trace) return *trace;
    fmt::print(stderr, "{}\n", trace.error().text);
    return {};
}

bool check_ratio(const std::string& what, const Figures& large, const Figures& small) {
    const double ratio = quantile(large.frames, 0.99) / quantile(small.frames, 0.99);
    const double alone = quantile(large.alone, 0.99) / quantile(small.alone, 0.99);
    return check_limit(
        fmt::format("{} at most 1.5 times a thousandth", what).c_str(), ratio, kMaxRatio,
        fmt::format("{:.2f} at p99, {:.2f} in CPU time of one thread", ratio, alone));
}

int run_all(const Options& options) {
    const Figures large = measure_trace("fifty million", make_trace(options.slices), options);
    // The smallest trace whose rows are full when everything is in view; a thousandth has fewer
    // slices in a row than pixels.
    const Figures dense = measure_trace("a hundredth", make_trace(options.slices / 100), options);
    const Figures small = measure_trace("a thousandth", make_trace(options.slices / 1000), options);
    Figures repeated;
    if (!options.path.empty()) {
        const auto trace = load_repeated(options.path);
        if (!trace) return 2;
        repeated = measure_trace("repeated to 1 GB", *trace, options);
    }
    if (options.under_valgrind) return 0;

    const double p99 = quantile(large.frames, 0.99);
    const double hit = quantile(large.hits, 0.99);
    fmt::print("\n     ratio to a hundredth of the slices, which also fill their rows: {:.2f}\n",
               p99 / quantile(dense.frames, 0.99));
    bool passed =
        check_limit("frame at most 2 ms at p99", p99, kMaxFrameNanos, format_duration(p99));
    passed &= check_ratio("fifty million", large, small);
    if (!options.path.empty()) passed &= check_ratio("1 GB", repeated, small);
    passed &= check_limit("hit test at most 10 µs at p99", hit, kMaxHitNanos, format_duration(hit));
    return passed ? 0 : 1;
}

// Runs itself under callgrind, and prints the counts.
int run_counted(const std::string& program, const Options& options) {
    if (!callgrind_is_built_in()) return 1;
    const auto folder = std::filesystem::temp_directory_path() / fmt::format("view_{}", getpid());
    std::filesystem::create_directory(folder);
    const std::string command = fmt::format(
        "valgrind --tool=callgrind --instr-atstart=no --callgrind-out-file='{}/out' '{}' "
        "--slices {} --frames {} --under-valgrind {} >/dev/null 2>&1",
        folder.string(), program, options.slices, options.frames,
        options.path.empty() ? "" : "'" + options.path + "'");
    const bool ran = std::system(command.c_str()) == 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        std::ifstream dump(entry.path());
        std::string name;
        for (std::string text; std::getline(dump, text);) {
            const std::string key = "desc: Trigger: Client Request: ";
            if (text.starts_with(key)) name = text.substr(key.size());
            if (name.empty() || !text.starts_with("totals: ")) continue;
            const double count = std::strtod(text.c_str() + 8, nullptr) / kCountedFrames;
            fmt::print("{:<18} {:>6.2f} million instructions per frame around p99, one thread\n",
                       name, count / 1e6);
        }
    }
    std::filesystem::remove_all(folder);
    if (!ran) fmt::print(stderr, "bench_view: valgrind could not be run; is it installed?\n");
    return ran ? 0 : 1;
}

}  // namespace

int run(const std::string& program, std::span<char*> arguments) {
    Options options;
    bool counted = false;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string_view argument = arguments[i];
        const bool has_value = i + 1 < arguments.size();
        if (argument == "--slices" && has_value) {
            options.slices = static_cast<uint32_t>(std::strtoul(arguments[++i], nullptr, 10));
        } else if (argument == "--frames" && has_value) {
            options.frames = std::strtoul(arguments[++i], nullptr, 10);
        } else if (argument == "--instructions") {
            counted = true;
        } else if (argument == "--under-valgrind") {
            options.under_valgrind = true;
        } else {
            options.path = argument;
        }
    }
    fmt::print("{}, {} cores\n{} frames over {} px, the best of {} flights for each\n\n", machine(),
               std::thread::hardware_concurrency(), options.frames, kWidth, kFlights);
    return counted ? run_counted(program, options) : run_all(options);
}

}  // namespace lanescope::bench

int main(int argc, char** argv) {
    try {
        return lanescope::bench::run(argv[0], {argv + 1, static_cast<std::size_t>(argc - 1)});
    } catch (const std::exception& error) {
        fmt::print(stderr, "bench_view: {}\n", error.what());
        return 1;
    }
}
