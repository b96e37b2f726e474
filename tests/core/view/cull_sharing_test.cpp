// Frames whose rows two threads share are identical to those of one thread.
#include <doctest/doctest.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <thread>

#include "core/view/cull.h"
#include "tests/core/trace_maker.h"

using namespace lanescope;

namespace {

struct SharedScene {
    TracePtr trace;
    ViewIndexPtr index;
    LaneLayout layout;
    Palette palette = build_palette(Theme::dark);

    explicit SharedScene(TracePtr scene_trace) : trace(std::move(scene_trace)) {
        index = build_view_index(trace);
        layout = build_layout(*trace, {}, {});
    }
    const DrawItems& cull(Culler& culler, const Viewport& view, double scroll = 0) const {
        return culler.cull({index, layout, palette, view, scroll, layout.height, {}});
    }
};

TracePtr many_lanes(std::mt19937_64& random, std::size_t slices) {
    TraceMaker maker;
    maker.process("1", "python");
    for (int lane = 0; lane < 14; ++lane) {
        maker.lane({random_row(random, slices, lane % 2 ? Spread::heavy : Spread::even, 0)});
        if (lane % 5 == 0) maker.instants({1000, 2000, 40'000, 41'000, 500'000});
        if (lane % 5 == 1) maker.counter({0, 5000, 90'000, 400'000}, {1, 4, 2, 8});
    }
    return maker.finish();
}

TimeRange extent(const Trace& trace) {
    TimeRange all{0, 0};
    for (const Lane& lane : trace.lanes) {
        for (const auto& chunk : lane.chunks)
            all.end = std::max(all.end, chunk->end(chunk->size() - 1));
    }
    return all;
}

template <typename T>
bool same_bytes(const std::vector<T>& a, const std::vector<T>& b) {
    return a.size() == b.size() &&
           (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

bool same_rows(const RowItems& a, const RowItems& b) {
    return a.row == b.row && a.lane == b.lane && a.strip == b.strip &&
           a.rect_begin == b.rect_begin && a.rect_end == b.rect_end &&
           a.label_begin == b.label_begin && a.label_end == b.label_end &&
           a.run_begin == b.run_begin && a.run_end == b.run_end && a.point_begin == b.point_begin &&
           a.point_end == b.point_end && a.tick_begin == b.tick_begin && a.tick_end == b.tick_end &&
           a.value_min == b.value_min && a.value_max == b.value_max;
}

// Rectangles and ticks have padding bytes.
bool same_marks(const DrawItems& a, const DrawItems& b) {
    const auto same_rect = [](const RectItem& r, const RectItem& s) {
        return r.x0 == s.x0 && r.x1 == s.x1 && r.slice == s.slice && r.name == s.name &&
               r.slot == s.slot;
    };
    const auto same_tick = [](const TickItem& r, const TickItem& s) {
        return r.x == s.x && r.first == s.first && r.count == s.count && r.slot == s.slot;
    };
    return std::ranges::equal(a.rects, b.rects, same_rect) &&
           std::ranges::equal(a.ticks, b.ticks, same_tick);
}

// Compares the columns of strips with runs; all others are undefined.
bool same_texels(const DrawItems& a, const DrawItems& b) {
    for (const RowItems& row : a.rows) {
        for (uint32_t i = row.run_begin; i < row.run_end; ++i) {
            const std::size_t at =
                std::size_t{row.strip} * a.strips.width + static_cast<uint32_t>(a.runs[i].x0);
            const auto count = static_cast<std::size_t>(a.runs[i].x1 - a.runs[i].x0);
            if (std::memcmp(&a.strips.texels[at], &b.strips.texels[at], count * 4) != 0 ||
                std::memcmp(&a.strips.slots[at], &b.strips.slots[at], count) != 0)
                return false;
        }
    }
    return a.strips.width == b.strips.width && a.strips.height == b.strips.height;
}

void check_same(const DrawItems& a, const DrawItems& b) {
    REQUIRE(std::ranges::equal(a.rows, b.rows, same_rows));
    REQUIRE(same_marks(a, b));
    REQUIRE(same_bytes(a.labels, b.labels));
    REQUIRE(same_bytes(a.runs, b.runs));
    REQUIRE(same_bytes(a.points, b.points));
    REQUIRE(same_texels(a, b));
}

// On a busy machine the second thread may wait for as long as a frame takes.
class Patience {
  public:
    bool is_over() const {
        return std::chrono::steady_clock::now() - begin_ > std::chrono::seconds(20);
    }

  private:
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

// Views of all scales.
std::vector<Viewport> views_of(std::mt19937_64& random, const Trace& trace, int count) {
    std::uniform_real_distribution<double> unit(0, 1);
    std::vector<Viewport> views;
    const Viewport whole = framed({0, 0, 1, 700}, extent(trace));
    for (int i = 0; i < count; ++i)
        views.push_back(zoomed(whole, std::pow(1e-6, unit(random)), 700 * unit(random)));
    views[0] = whole;
    return views;
}

}  // namespace

TEST_CASE("two threads build the same frames as one") {
    std::mt19937_64 random(91);
    const SharedScene scene(many_lanes(random, 6000));
    Culler alone(Culler::Sharing::never);
    Culler together(Culler::Sharing::always);
    std::size_t by_other = 0;
    int frames = 0;
    const Patience patience;
    for (const Viewport& view : views_of(random, *scene.trace, 20'000)) {
        const double scroll = static_cast<double>(random() % 100);
        const DrawItems& expected = scene.cull(alone, view, scroll);
        check_same(expected, scene.cull(together, view, scroll));
        REQUIRE(alone.last_work().visited == together.last_work().visited);
        REQUIRE(alone.last_work().rows_by_other == 0);
        by_other += together.last_work().rows_by_other;
        frames += 1;
        if (frames >= 300 && (by_other >= 50 || patience.is_over())) break;
    }
    CHECK(by_other > 0);
}

TEST_CASE("only dense frames are shared between threads") {
    std::mt19937_64 random(92);
    Culler culler;
    const SharedScene small(many_lanes(random, 1000));
    for (const Viewport& view : views_of(random, *small.trace, 50)) {
        small.cull(culler, view);
        REQUIRE(culler.last_work().visited < Culler::kDense);
        REQUIRE(culler.last_work().rows_by_other == 0);
    }
    if (std::thread::hardware_concurrency() < 2) return;
    // Each slice is visited: rows this short have no levels of detail.
    TraceMaker maker;
    maker.process("1", "python");
    for (int lane = 0; lane < 40; ++lane)
        maker.lane({random_row(random, kMinLevelSlices - 1, Spread::even, 0)});
    const SharedScene dense(maker.finish());
    Viewport view = framed({0, 0, 1, 1600}, extent(*dense.trace));
    std::size_t by_other = 0;
    for (const Patience patience; by_other == 0 && !patience.is_over();) {
        view = zoomed(view, 0.9999, 800);
        dense.cull(culler, view);
        REQUIRE(culler.last_work().visited >= Culler::kDense);
        by_other += culler.last_work().rows_by_other;
    }
    CHECK(by_other > 0);
}
