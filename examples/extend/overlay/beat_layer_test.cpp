// Paints the layer as TimelineView does, without OpenGL.
#include "examples/extend/overlay/beat_layer.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "core/view/overview.h"
#include "core/view/palette.h"
#include "tests/core/trace_maker.h"
#include "tests/ui/headless_imgui.h"
#include "ui/timeline/lane_painter.h"

using namespace lanescope;

namespace {

constexpr Nanos kOrigin = 1'000'000;

// A timeline of 1000 px that shows 10 µs, 10 ns a pixel.
class BeatScene {
  public:
    BeatScene() {
        TraceMaker maker;
        maker.process("1", "program");
        maker.lane({{{kOrigin, 10'000, "run"}}});
        maker.trace().origin = kOrigin;
        maker.trace().end = kOrigin + 10'000;
        maker.trace().content = {kOrigin, kOrigin + 10'000};
        const ViewIndexPtr index = build_view_index(maker.finish());
        show_trace(timeline, index, build_overview(*index, index->bulk, 10), true);
        set_motion(timeline, false);
        timeline.camera.set_width(1000);
        timeline.areas.lanes = {100, 50, 1100, 450};
        frame_range(timeline, {kOrigin, kOrigin + 10'000}, 0);
    }

    // The x of all lines that the layer paints.
    std::vector<float> lines(BeatLayer& layer) {
        QuadBatch lanes;
        QuadBatch overlay;
        LabelSheet labels;
        imgui_.frame([&] {
            const DrawItems items;
            const Palette palette;
            const FoundLayer found;
            const ClassFilter classes;
            const PaintInput input{timeline, items, palette, look_, found, classes};
            LaneTarget target{lanes, overlay, labels, *ImGui::GetWindowDrawList(), false};
            for (int stage = 0; stage < kLaneStages; ++stage)
                layer.paint(static_cast<LaneStage>(stage), input, target);
        });
        CHECK(lanes.above().empty());
        CHECK(overlay.above().empty());
        std::vector<float> all;
        for (std::size_t i = 0; i < lanes.below().size(); i += 4) {
            CHECK(lanes.below()[i].y == 50);
            CHECK(lanes.below()[i + 2].y == 450);
            CHECK(lanes.below()[i + 2].x == lanes.below()[i].x + 1);
            all.push_back(lanes.below()[i].x);
        }
        return all;
    }

    Timeline timeline;

  private:
    HeadlessImGui imgui_{1200, 500};
    Look look_;
};

nlohmann::json described(const BeatLayer& layer, const Timeline& timeline) {
    nlohmann::json state;
    layer.describe(timeline, state);
    return state;
}

}  // namespace

TEST_CASE("beats: lines are at multiples of the period, in both directions from the first") {
    BeatScene scene;
    BeatLayer layer;
    CHECK(scene.lines(layer).empty());
    layer.period = 2500;
    layer.first = kOrigin;
    CHECK(scene.lines(layer) == std::vector<float>{100, 350, 600, 850, 1100});
    layer.first = kOrigin + 60'000 + 1000;
    CHECK(scene.lines(layer) == std::vector<float>{200, 450, 700, 950});
    CHECK(described(layer, scene.timeline)["beat"] == 2500);
}

TEST_CASE("beats: lines that would be too dense are not painted") {
    BeatScene scene;
    BeatLayer layer;
    layer.first = kOrigin;
    layer.period = 79;
    CHECK(scene.lines(layer).empty());
    layer.period = 80;
    CHECK(scene.lines(layer).size() == 126);
}

TEST_CASE("beats: a closed trace leaves no lines") {
    BeatScene scene;
    BeatLayer layer;
    layer.period = 2500;
    layer.trace_closed();
    CHECK(scene.lines(layer).empty());
    CHECK(described(layer, scene.timeline)["beat"].is_null());
}
