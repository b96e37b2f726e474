// Culling with a slot for each slice.
#include <doctest/doctest.h>

#include <cmath>
#include <memory>
#include <random>

#include "core/view/cull.h"
#include "core/view/slice_classes.h"
#include "tests/core/trace_maker.h"

using namespace lanescope;

TEST_CASE("a byte for each slice gives the same picture as a table by name, at every scale") {
    std::mt19937_64 random(31);
    for (const Spread spread : kSpreads) {
        TraceMaker maker;
        maker.process("1", "python");
        const auto row = random_row(random, 40'000, spread, 0);
        const auto middle = row.begin() + 20'000;
        maker.lane({{row.begin(), middle}, {middle, row.end()}});
        maker.trace().content = {0, row.back().start + row.back().duration};
        const TracePtr trace = maker.finish();
        for (const bool part : {false, true}) {
            const ViewIndexPtr by_table = build_view_index(trace, LaneFilter{.hide_short = part});
            SliceClasses own;
            own.classes = by_table->classes->classes;
            own.table = table_of_one(*trace);
            Column<Slot>& slots = slots_of_lane(own, *trace, 0);
            for (uint32_t i = 0; i < slots.size(); ++i)
                slots[i] = static_cast<Slot>(trace->event_class(SliceRef{0, i}));
            const ViewIndexPtr by_slice =
                with_classes(*by_table, std::make_shared<const SliceClasses>(std::move(own)));
            const LaneLayout layout = build_layout(*trace, {}, {}, by_table->shown);
            const Palette palette = build_palette(Theme::dark);
            Culler one;
            Culler other;
            for (int zoom = 0; zoom < 12; ++zoom) {
                Viewport view = framed({0, 0, 1, 900}, trace->content);
                view.span /= std::pow(3.0, zoom);
                view.start += static_cast<Nanos>(view.span);
                const DrawItems& a =
                    one.cull({by_table, layout, palette, view, 0, layout.height, {}});
                const DrawItems& b =
                    other.cull({by_slice, layout, palette, view, 0, layout.height, {}});
                REQUIRE(a.rects.size() == b.rects.size());
                for (std::size_t i = 0; i < a.rects.size(); ++i)
                    REQUIRE(a.rects[i].slot == b.rects[i].slot);
                REQUIRE(a.runs.size() == b.runs.size());
                for (const RunItem& run : a.runs) {
                    for (auto x = static_cast<std::size_t>(run.x0);
                         x < static_cast<std::size_t>(run.x1); ++x) {
                        REQUIRE(a.strips.slots[x] == b.strips.slots[x]);
                        REQUIRE(a.strips.texels[x] == b.strips.texels[x]);
                    }
                }
            }
        }
    }
}
