#include "core/view/visible_links.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <set>

#include "core/view/cull.h"
#include "core/view/lane_layout.h"
#include "core/view/view_index.h"
#include "tests/core/trace_maker.h"

using namespace lanescope;

namespace {

// Launches of one thread, each with a kernel on a stream.
TracePtr launches(int count) {
    TraceMaker maker;
    maker.process("1", "python");
    std::vector<TestSlice> calls;
    std::vector<TestSlice> kernels;
    for (int i = 0; i < count; ++i) {
        calls.push_back({i * 100, 40, "launch", "cuda_runtime"});
        kernels.push_back({i * 100 + 50, 40, "kernel", "kernel"});
    }
    const auto middle = static_cast<std::ptrdiff_t>(count / 2);
    maker.lane({{calls.begin(), calls.begin() + middle}, {calls.begin() + middle, calls.end()}});
    maker.lane({kernels});
    Trace& trace = maker.trace();
    for (uint32_t i = 0; i < static_cast<uint32_t>(count); ++i) {
        trace.links.push_back({{0, i}, {1, i}, LinkKind::launch});
        trace.links_by_target.push_back(i);
    }
    trace.content = {0, count * 100};
    return maker.finish();
}

struct Picture {
    LaneLayout layout;
    Palette palette = build_palette(Theme::dark);
    Culler culler;

    const DrawItems& draw(const TracePtr& trace, TimeRange range, double width) {
        const ViewIndexPtr index = build_view_index(trace);
        layout = build_layout(*trace, {}, {});
        const Viewport view = framed({0, 0, 1, width}, range, 0);
        return culler.cull({index, layout, palette, view, 0, layout.height, {}});
    }
};

}  // namespace

TEST_CASE("the flows in view are those of all slices that are drawn individually") {
    const TracePtr trace = launches(1000);
    Picture picture;
    VisibleLinks found;
    for (const TimeRange range :
         {TimeRange{0, 5'000}, {49'000, 51'000}, {30'050, 30'090}, {0, 100'000}}) {
        CAPTURE(range.begin);
        const DrawItems& items = picture.draw(trace, range, 1000);
        std::set<uint32_t> expected;
        for (const RowItems& row : items.rows)
            for (uint32_t i = row.rect_begin; i < row.rect_end; ++i)
                expected.insert(items.rects[i].slice);
        find_visible_links(*trace, items, 10'000, found);
        CHECK(std::set<uint32_t>(found.links.begin(), found.links.end()) == expected);
        CHECK(found.links.size() == expected.size());
        CHECK(found.all == expected.size());
    }
}

TEST_CASE("where there are too many flows, an even part of them is kept") {
    const TracePtr trace = launches(1000);
    Picture picture;
    VisibleLinks found;
    find_visible_links(*trace, picture.draw(trace, {0, 100'000}, 20'000), 100, found);
    CHECK(found.all == 1000);
    REQUIRE(found.links.size() == 100);
    for (uint32_t i = 0; i < 100; ++i) CHECK(found.links[i] == i * 10);
}

TEST_CASE("flows are found in any order of slices") {
    std::mt19937_64 random(3);
    TraceMaker maker;
    maker.process("1", "python");
    const auto row = random_row(random, 300, Spread::even, 0);
    maker.lane({row});
    Trace& trace = maker.trace();
    for (uint32_t i = 0; i < 300; i += 1 + static_cast<uint32_t>(random() % 3))
        for (uint32_t k = 0; k < random() % 3; ++k)
            trace.links.push_back({{0, i}, {0, 299 - i}, LinkKind::flow});
    for (uint32_t i = 0; i < trace.links.size(); ++i) trace.links_by_target.push_back(i);
    std::ranges::stable_sort(trace.links_by_target, {},
                             [&](uint32_t i) { return trace.links[i].to; });
    // As with hidden slices: two rows in one, sorted by time instead of index.
    DrawItems items;
    std::vector<uint32_t> order(300);
    for (uint32_t i = 0; i < 300; ++i) order[i] = i % 2 == 0 ? i / 2 : 150 + i / 2;
    for (const uint32_t slice : order) items.rects.push_back({0, 10, slice, 0, 0});
    items.rows.push_back({.rect_begin = 0, .rect_end = 300});
    VisibleLinks found;
    find_visible_links(trace, items, 10'000, found);
    REQUIRE(found.links.size() == trace.links.size());
    for (uint32_t i = 0; i < found.links.size(); ++i) CHECK(found.links[i] == i);
}
