// How long a frame takes to build, and a hit test, along a flight through fifty million slices; and
// how that compares with fifty thousand.
//
//     bench_view [--slices N] [--frames N] [TRACE]
//
// The flight is a script of key presses, wheel turns and jumps to slices drawn with a fixed seed,
// flown by the real camera at 60 frames a second over 1600 pixels and every row of the trace (at
// most 60). A frame is culled, and its quads are written out as a painter does. It is flown three
// times; a frame's time is its best, since other programs only ever add to it. Without TRACE it
// exits with 1 when a gate is missed.
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "bench/measure.h"
#include "bench/synthetic_trace.h"
#include "core/base/format.h"
#include "core/ingest/load.h"
#include "core/view/camera.h"
#include "core/view/cull.h"
#include "core/view/overview.h"
#include "core/view/pick.h"

namespace lanescope::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kWidth = 1600;
constexpr double kFrameGate = 2e6;  // ns
constexpr double kRatioGate = 1.5;
constexpr double kHitGate = 10e3;  // ns

// Of this thread alone, in ns: other programs on the machine do not count.
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

SliceRef random_slice(const Trace& trace, Random& random) {
    uint64_t at = random.next() % trace.slice_count();
    for (LaneId lane = 0; lane < trace.lanes.size(); ++lane) {
        if (at < trace.lanes[lane].slice_count) return {lane, static_cast<uint32_t>(at)};
        at -= trace.lanes[lane].slice_count;
    }
    return {};
}

// The views of the flight, frame by frame: again and again to a slice drawn at random, until it can
// be read, along its neighbours, and back out some way; now and then by a jump.
std::vector<Viewport> fly(const Trace& trace, std::size_t frames) {
    Random random(7);
    Camera camera;
    camera.set_width(kWidth);
    camera.reset(trace.content);
    std::vector<Viewport> views;
    const auto hold_while = [&](HeldKeys keys, auto&& more) {
        camera.hold(keys);
        for (int f = 0; f < 300 && views.size() < frames && more(f); ++f) {
            camera.step(1.0 / 60);
            views.push_back(camera.view());
        }
        camera.hold({});
    };
    while (views.size() < frames) {
        const SliceRef slice = random_slice(trace, random);
        const auto start = trace.start(slice);
        const auto length = static_cast<double>(std::max<Nanos>(trace.duration(slice), 1));
        if (random.unit() < 0.3) camera.frame({start, start + static_cast<Nanos>(100 * length)});
        const double cursor = std::clamp(camera.view().px_of(start), 0.0, kWidth);
        const bool fast = random.unit() < 0.5;
        hold_while({0, 1, fast, cursor},
                   [&](int) { return length / camera.view().nanos_per_px() < 60; });
        const int way = random.unit() < 0.5 ? 1 : -1;
        hold_while({way, 0, fast, cursor}, [](int f) { return f < 40; });
        camera.zoom(random.unit() < 0.5 ? 0.4 : 2.5, kWidth * random.unit());
        hold_while({}, [](int f) { return f < 15; });
        // Out to any scale, all of them alike often: the logarithm is even.
        const double scales = static_cast<double>(trace.content.length()) / camera.view().span;
        const double outest = camera.view().span * std::pow(scales, random.unit());
        hold_while({0, -1, fast, kWidth * random.unit()},
                   [&](int) { return camera.view().span < outest; });
    }
    return views;
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

// What a painter does with the items of a frame, short of handing them to a GPU.
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
    std::vector<double> frames;  // ns, the best of three for each
    std::vector<double> hits;    // ns
    std::size_t most_rects = 0;
    std::size_t most_runs = 0;
};

Figures measure(const ViewIndexPtr& index, const LaneLayout& layout,
                const std::vector<Viewport>& views) {
    Figures figures;
    figures.frames.assign(views.size(), 1e18);
    const Palette palette = build_palette(Theme::dark, index->classes->classes);
    const CullOptions options;
    Culler culler;
    std::vector<Vertex> vertices;
    Random random(3);
    for (int round = 0; round < 3; ++round) {
        for (std::size_t f = 0; f < views.size(); ++f) {
            const double begin = cpu_nanos();
            const DrawItems& items =
                culler.cull({index, layout, palette, views[f], 0, layout.height, options});
            write_quads(items, layout, palette, vertices);
            figures.frames[f] = std::min(figures.frames[f], cpu_nanos() - begin);
            figures.most_rects = std::max(figures.most_rects, items.rects.size());
            figures.most_runs = std::max(figures.most_runs, items.runs.size());

            const double x = kWidth * random.unit();
            const double y = layout.height * random.unit();
            const auto hit_begin = Clock::now();
            const Hit hit = pick(*index, layout, views[f], x, y, options);
            figures.hits.push_back(nanos_since(hit_begin));
            if (hit.kind == HitKind::run && hit.count < 2) std::abort();
        }
    }
    return figures;
}

void print(const Figures& figures) {
    fmt::print(
        "  frame    median {:>9}  p99 {:>9}  worst {:>9}   (at most {} rectangles, {} runs)\n",
        format_duration(quantile(figures.frames, 0.5)),
        format_duration(quantile(figures.frames, 0.99)),
        format_duration(quantile(figures.frames, 1)),
        format_count(static_cast<int64_t>(figures.most_rects)),
        format_count(static_cast<int64_t>(figures.most_runs)));
    fmt::print("  hit test median {:>9}  p99 {:>9}\n", format_duration(quantile(figures.hits, 0.5)),
               format_duration(quantile(figures.hits, 0.99)));
}

Figures measure_trace(const TracePtr& trace, std::size_t frames) {
    std::size_t bytes = 0;
    for (const Lane& lane : trace->lanes) {
        for (const auto& chunk : lane.chunks) {
            for (const DepthRow& row : chunk->rows) bytes += row.levels.bytes();
        }
    }
    const ViewIndexPtr index = build_view_index(trace);
    LaneLayout layout = build_layout(*trace, {}, {});
    if (layout.rows.size() > kRows + 2) layout.height = layout.rows[kRows + 2].y;
    const auto slices = static_cast<int64_t>(trace->slice_count());
    const auto begin = Clock::now();
    const Overview overview = build_overview(*index, trace->content, static_cast<uint32_t>(kWidth));
    const double overview_nanos = nanos_since(begin);
    fmt::print(
        "{} slices, {} rows; levels of detail {:.2f} bytes a slice; overview of {} columns {}\n",
        format_count(slices), layout.rows.size(),
        static_cast<double>(bytes) / static_cast<double>(std::max<int64_t>(slices, 1)),
        overview.cpu.size(), format_duration(overview_nanos));
    Figures figures = measure(index, layout, fly(*trace, frames));
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
    fmt::print("levels of detail built in {}\n", format_duration(nanos_since(begin)));
    return trace;
}

bool gate(const char* name, double value, double limit, const std::string& text) {
    const bool passed = value <= limit;
    fmt::print("{} {}: {}\n", passed ? "ok  " : "MISS", name, text);
    return passed;
}

int run_synthetic(uint32_t slices, std::size_t frames) {
    const Figures large = measure_trace(make_trace(slices), frames);
    // The smallest of these that fills its rows when all is in view; one of a thousandth has fewer
    // slices in a row than pixels.
    const Figures dense = measure_trace(make_trace(slices / 100), frames);
    const Figures small = measure_trace(make_trace(slices / 1000), frames);
    fmt::print("\n");
    const double p99 = quantile(large.frames, 0.99);
    const double ratio = p99 / quantile(small.frames, 0.99);
    const double hit = quantile(large.hits, 0.99);
    fmt::print(
        "     against a hundredth of the slices, which fill their rows too, at p99: {:.2f}\n",
        p99 / quantile(dense.frames, 0.99));
    bool passed = gate("frame at most 2 ms at p99", p99, kFrameGate, format_duration(p99));
    passed &= gate("at most 1.5 times a thousandth of the slices, at p99", ratio, kRatioGate,
                   fmt::format("{:.2f}", ratio));
    passed &= gate("hit test at most 10 µs at p99", hit, kHitGate, format_duration(hit));
    return passed ? 0 : 1;
}

int run_trace(const std::string& path, std::size_t frames) {
    const auto trace = load_trace(path);
    if (!trace) {
        fmt::print(stderr, "{}\n", trace.error().text);
        return 2;
    }
    measure_trace(*trace, frames);
    return 0;
}

}  // namespace

int run(std::span<char*> arguments) {
    uint32_t slices = 50'000'000;
    std::size_t frames = 3000;
    std::string path;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string_view argument = arguments[i];
        const bool has_value = i + 1 < arguments.size();
        if (argument == "--slices" && has_value) {
            slices = static_cast<uint32_t>(std::strtoul(arguments[++i], nullptr, 10));
        } else if (argument == "--frames" && has_value) {
            frames = std::strtoul(arguments[++i], nullptr, 10);
        } else {
            path = argument;
        }
    }
    fmt::print("{}\n{} frames over {} px, one thread, best of three\n\n", machine(), frames,
               kWidth);
    return path.empty() ? run_synthetic(slices, frames) : run_trace(path, frames);
}

}  // namespace lanescope::bench

int main(int argc, char** argv) {
    return lanescope::bench::run({argv + 1, static_cast<std::size_t>(argc - 1)});
}
