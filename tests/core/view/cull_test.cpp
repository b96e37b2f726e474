#include "core/view/cull.h"

#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <set>

#include "core/view/pick.h"
#include "tests/core/trace_maker.h"

using namespace lanescope;

namespace {

// A trace of one lane with one row, with its layout and everything that culling needs.
struct CullScene {
    std::vector<TestSlice> row;
    TracePtr trace;
    ViewIndexPtr index;
    LaneLayout layout;
    Palette palette = build_palette(Theme::dark);
    CullOptions options;
    Culler culler;

    explicit CullScene(std::vector<TestSlice> slices) : row(std::move(slices)) {
        TraceMaker maker;
        maker.process("1", "python");
        maker.lane({row});
        lay_out(maker.finish());
    }
    explicit CullScene(TracePtr scene_trace) { lay_out(std::move(scene_trace)); }

    void lay_out(TracePtr scene_trace) {
        trace = std::move(scene_trace);
        index = build_view_index(trace);
        layout = build_layout(*trace, {}, {});
    }
    const DrawItems& cull(const Viewport& view) {
        return culler.cull({index, layout, palette, view, 0, layout.height, options});
    }
    // Slices of one row are sorted by time, so their index is that in `row`.
    double x0(const Viewport& view, std::size_t i) const { return view.px_of(row[i].start); }
    double x1(const Viewport& view, std::size_t i) const {
        return view.px_of(row[i].start + row[i].duration);
    }
    bool is_wide(const Viewport& view, std::size_t i) const {
        return static_cast<double>(row[i].duration) >= options.min_rect_px * view.nanos_per_px();
    }
    bool is_in_view(const Viewport& view, std::size_t i) const {
        return x0(view, i) < view.width && (x1(view, i) > 0 || x0(view, i) >= 0);
    }
    TimeRange extent() const { return {row.front().start, row.back().start + row.back().duration}; }
};

// Views of all scales around places with something to see.
std::vector<Viewport> views_of(std::mt19937_64& random, const CullScene& scene, int count) {
    std::uniform_real_distribution<double> unit(0, 1);
    const TimeRange all = scene.extent();
    const Viewport whole = framed({0, 0, 1, 700}, all);
    std::vector<Viewport> views = {whole};
    const double deepest = std::log(static_cast<double>(all.length()) / 100);
    while (static_cast<int>(views.size()) < count) {
        const Nanos at = scene.row[random() % scene.row.size()].start;
        const double px = 700 * unit(random);
        Viewport view = whole;
        view.start = at;
        view.fraction = unit(random);
        view.span = static_cast<double>(all.length()) * std::exp(-deepest * unit(random));
        views.push_back(panned(view, -px));
    }
    return views;
}

const RowItems& only_row(const DrawItems& items) {
    REQUIRE(items.rows.size() == 1);
    return items.rows[0];
}

// Wide slices are drawn singly, at their exact positions, all of them and in order.
void check_rects(const CullScene& scene, const Viewport& view, const DrawItems& items) {
    std::size_t next = 0;
    for (std::size_t i = 0; i < scene.row.size(); ++i) {
        if (!scene.is_wide(view, i) || scene.x0(view, i) >= view.width || scene.x1(view, i) <= 0)
            continue;
        REQUIRE(next < items.rects.size());
        const RectItem& rect = items.rects[next++];
        REQUIRE(rect.slice == i);
        REQUIRE(scene.trace->strings[rect.name] == scene.row[i].name);
        REQUIRE(rect.slot == static_cast<Slot>(classify_category(scene.row[i].category)));
        REQUIRE(rect.x0 == doctest::Approx(std::max(scene.x0(view, i), -8.0)).epsilon(1e-5));
        REQUIRE(rect.x1 ==
                doctest::Approx(std::min(scene.x1(view, i), view.width + 8)).epsilon(1e-5));
    }
    REQUIRE(next == items.rects.size());
}

struct ColumnTruth {
    uint32_t count = 0;  // of slices that begin here
    std::size_t longest = 0;
    double cover = 0;
    bool touched = false;
};

std::vector<ColumnTruth> short_slices_by_column(const CullScene& scene, const Viewport& view) {
    std::vector<ColumnTruth> columns(static_cast<std::size_t>(view.width));
    for (std::size_t i = 0; i < scene.row.size(); ++i) {
        if (scene.is_wide(view, i) || !scene.is_in_view(view, i)) continue;
        const double x0 = scene.x0(view, i);
        const double x1 = scene.x1(view, i);
        const int first = static_cast<int>(std::floor(x0));
        const int last = std::max(static_cast<int>(std::ceil(x1)) - 1, first);
        for (int c = std::max(first, 0); c <= std::min(last, static_cast<int>(columns.size()) - 1);
             ++c) {
            ColumnTruth& column = columns[static_cast<std::size_t>(c)];
            if (c == std::max(first, 0)) ++column.count;
            if (!column.touched || scene.row[i].duration > scene.row[column.longest].duration)
                column.longest = i;
            column.touched = true;
            column.cover += std::min(x1, c + 1.0) - std::max(x0, static_cast<double>(c));
        }
    }
    return columns;
}

std::map<int, uint32_t> texels_of(const DrawItems& items) {
    std::map<int, uint32_t> texels;
    int end = -1;
    for (const RunItem& run : items.runs) {
        REQUIRE(run.x0 > end);  // there is a gap between two runs, or they would be one
        REQUIRE(run.x1 > run.x0);
        for (int c = run.x0; c < run.x1; ++c)
            texels[c] =
                items.strips
                    .texels[only_row(items).strip * items.strips.width + static_cast<uint32_t>(c)];
        end = run.x1;
    }
    return texels;
}

// The slot whose shades contain a texel.
int slot_of_texel(const Palette& palette, uint32_t texel) {
    for (std::size_t slot = 0; slot < palette.shades.size(); ++slot) {
        for (const uint32_t shade : palette.shades[slot]) {
            if (shade == texel) return static_cast<int>(slot);
        }
    }
    return -1;
}

}  // namespace

TEST_CASE("rows without levels: a pixel is covered exactly where a slice covers it") {
    std::mt19937_64 random(21);
    for (const Spread spread : kSpreads) {
        CAPTURE(static_cast<int>(spread));
        CullScene scene(random_row(random, kMinLevelSlices - 1, spread, 1'700'000'000'000'000'000));
        for (const Viewport& view : views_of(random, scene, 40)) {
            const DrawItems& items = scene.cull(view);
            check_rects(scene, view, items);
            const auto truth = short_slices_by_column(scene, view);
            const auto texels = texels_of(items);
            for (std::size_t c = 0; c < truth.size(); ++c) {
                REQUIRE(texels.contains(static_cast<int>(c)) == truth[c].touched);
                if (!truth[c].touched) continue;
                const auto slot = static_cast<std::size_t>(
                    classify_category(scene.row[truth[c].longest].category));
                const auto shade =
                    static_cast<std::size_t>(std::clamp(truth[c].cover, 0.0, 1.0) * 255);
                // Sums in single precision may round to the next of 255 shades.
                const auto& shades = scene.palette.shades[slot];
                const uint32_t texel = texels.at(static_cast<int>(c));
                REQUIRE((texel == shades[shade] || texel == shades[std::min(shade + 1, 255UL)] ||
                         texel == shades[shade - std::min(shade, 1UL)]));
            }
            for (const RunItem& run : items.runs) {
                uint32_t count = 0;
                Nanos longest = 0;
                for (int c = run.x0; c < run.x1; ++c) {
                    const ColumnTruth& column = truth[static_cast<std::size_t>(c)];
                    count += column.count;
                    longest = std::max(longest, scene.row[column.longest].duration);
                }
                REQUIRE(run.count == count);
                REQUIRE(scene.row[run.longest].duration == longest);
            }
        }
    }
}

TEST_CASE("rows with levels: nothing is lost or invented, to within two pixels") {
    std::mt19937_64 random(22);
    for (const Spread spread : kSpreads) {
        CAPTURE(static_cast<int>(spread));
        CullScene scene(random_row(random, 40'000, spread, 1'700'000'000'000'000'000));
        for (const Viewport& view : views_of(random, scene, 25)) {
            const DrawItems& items = scene.cull(view);
            check_rects(scene, view, items);
            const auto texels = texels_of(items);
            const auto truth = short_slices_by_column(scene, view);
            const int width = static_cast<int>(view.width);
            const auto holds_nearby = [&](int c, const auto& holds) {
                for (int at = std::max(c - 2, 0); at <= std::min(c + 2, width - 1); ++at) {
                    if (holds(at)) return true;
                }
                return false;
            };
            for (int c = 0; c < width; ++c) {
                const bool painted = texels.contains(c);
                // The longest may be a neighbour outside of the view.
                const bool edge = c < 3 || c >= width - 3;
                if (painted && !edge)
                    REQUIRE(holds_nearby(
                        c, [&](int at) { return truth[static_cast<std::size_t>(at)].touched; }));
                if (truth[static_cast<std::size_t>(c)].count > 0 && !edge)
                    REQUIRE(holds_nearby(c, [&](int at) { return texels.contains(at); }));
            }
        }
    }
}

TEST_CASE("with the whole trace in view, runs and rectangles count every slice once") {
    std::mt19937_64 random(23);
    for (const Spread spread : kSpreads) {
        CullScene scene(random_row(random, 50'000, spread, -1'000'000));
        const DrawItems& items = scene.cull(framed({0, 0, 1, 1234}, scene.extent()));
        uint64_t count = items.rects.size();
        for (const RunItem& run : items.runs) count += run.count;
        CHECK(count == scene.row.size());
    }
}

TEST_CASE("a slice that stands out colours its pixel and names its run") {
    std::mt19937_64 random(24);
    std::vector<TestSlice> row = random_row(random, 60'000, Spread::even, 0);
    for (TestSlice& slice : row) slice.category = "cpu_op";
    std::set<std::size_t> outstanding;
    // Space for a slice ten times as long, by removing its successors.
    std::vector<TestSlice> thinned;
    for (std::size_t i = 0; i < row.size(); ++i) {
        thinned.push_back(row[i]);
        if (i % 6000 != 3000) continue;
        thinned.back().duration = 2500;
        thinned.back().category = "cuda_runtime";
        outstanding.insert(thinned.size() - 1);
        while (row[i + 1].start < thinned.back().start + 2500) ++i;
    }
    CullScene scene(thinned);
    const Viewport view = framed({0, 0, 1, 1500}, scene.extent());
    const DrawItems& items = scene.cull(view);
    const auto texels = texels_of(items);
    for (const std::size_t i : outstanding) {
        REQUIRE_FALSE(scene.is_wide(view, i));
        bool found = false;
        const int c = static_cast<int>(std::floor(scene.x0(view, i)));
        for (int at = c - 2; at <= c + 2; ++at) {
            found = found || (texels.contains(at) && slot_of_texel(scene.palette, texels.at(at)) ==
                                                         static_cast<int>(EventClass::runtime));
        }
        CHECK(found);
    }
    REQUIRE(items.runs.size() == 1);
    CHECK(outstanding.contains(items.runs[0].longest));
}

TEST_CASE("labels stand on wide rectangles and stay in view") {
    CullScene scene({{0, 1000}, {1010, 10}, {1100, 400}, {3000, 100}});
    const Viewport view{500, 0, 1000, 1000};
    const DrawItems& items = scene.cull(view);
    REQUIRE(items.rects.size() == 3);
    REQUIRE(items.labels.size() == 2);
    CHECK(items.labels[0].rect == 0);
    CHECK(items.labels[0].x == doctest::Approx(5));  // of a slice that begins left of the view
    CHECK(items.labels[0].width == doctest::Approx(490));
    CHECK(items.labels[1].rect == 2);
    CHECK(items.labels[1].x == doctest::Approx(605));
    CHECK(items.labels[1].width == doctest::Approx(390));
}

TEST_CASE("an unchanged view is not built again") {
    std::mt19937_64 random(25);
    CullScene scene(random_row(random, 30'000, Spread::heavy, 0));
    const Viewport view = framed({0, 0, 1, 900}, scene.extent());
    const uint64_t generation = scene.cull(view).generation;
    CHECK(scene.cull(view).generation == generation);
    CHECK(scene.cull(panned(view, 1)).generation == generation + 1);
    scene.options.min_rect_px = 3;
    CHECK(scene.cull(panned(view, 1)).generation == generation + 2);
    scene.layout = build_layout(*scene.trace, {}, scaled({}, 2));
    CHECK(scene.cull(panned(view, 1)).generation == generation + 3);
    scene.palette = build_palette(Theme::light);
    CHECK(scene.cull(panned(view, 1)).generation == generation + 4);
    scene.index = build_view_index(scene.trace);
    CHECK(scene.cull(panned(view, 1)).generation == generation + 5);
    CHECK(scene.cull(panned(view, 1)).generation == generation + 5);
}

TEST_CASE("a view that was built before needs no new memory") {
    std::mt19937_64 random(26);
    CullScene scene(random_row(random, 30'000, Spread::heavy, 0));
    const auto views = views_of(random, scene, 40);
    for (const Viewport& view : views) scene.cull(view);
    const DrawItems& items = scene.cull(views[0]);
    const auto buffers = [&] {
        return std::vector<const void*>{items.rows.data(), items.rects.data(), items.labels.data(),
                                        items.runs.data(), items.strips.texels.data()};
    };
    const auto before = buffers();
    for (const Viewport& view : views) scene.cull(view);
    CHECK(buffers() == before);
}

TEST_CASE("picking finds the slice that is drawn") {
    std::mt19937_64 random(29);
    std::uniform_real_distribution<double> unit(0, 1);
    for (const Spread spread : kSpreads) {
        for (const std::size_t count : {std::size_t{1500}, std::size_t{50'000}}) {
            CullScene scene(random_row(random, count, spread, 1'700'000'000'000'000'000));
            const double y = scene.layout.rows[1].y + 3;
            for (const Viewport& view : views_of(random, scene, 15)) {
                const DrawItems& items = scene.cull(view);
                const auto texels = texels_of(items);
                for (int probe = 0; probe < 200; ++probe) {
                    const double x = unit(random) * view.width;
                    const Hit hit = pick(*scene.index, scene.layout, view, x, y, scene.options, 0);
                    REQUIRE(hit.row == 1);
                    const auto rect_below =
                        std::ranges::find_if(items.rects, [&](const RectItem& r) {
                            return scene.x0(view, r.slice) <= x && x < scene.x1(view, r.slice);
                        });
                    if (rect_below != items.rects.end()) {
                        REQUIRE(hit.kind == HitKind::slice);
                        const std::size_t i = hit.slice.index;
                        REQUIRE((i == rect_below->slice || scene.x0(view, i) == x ||
                                 scene.x1(view, i) == x));
                    } else if (texels.contains(static_cast<int>(x))) {
                        REQUIRE((hit.kind == HitKind::run || hit.kind == HitKind::slice));
                        REQUIRE(hit.count > 0);
                        REQUIRE((hit.kind == HitKind::run) == (hit.count > 1));
                        REQUIRE(std::abs(scene.x0(view, hit.slice.index) - x) < 4);
                    } else {
                        REQUIRE(hit.kind == HitKind::nothing);
                    }
                }
            }
        }
    }
}
