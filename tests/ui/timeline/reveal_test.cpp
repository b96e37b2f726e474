// A property of every table of every trace: what a click on a row selects is in view afterwards.
#include <doctest/doctest.h>
#include <imgui.h>

#include <memory>
#include <string>

#include "core/ingest/load.h"
#include "core/registry/tables.h"
#include "core/trace/query.h"
#include "core/view/overview.h"
#include "tests/core/real_traces.h"
#include "tests/ui/headless_imgui.h"
#include "ui/look/theme.h"
#include "ui/platform/offscreen.h"
#include "ui/timeline/timeline_view.h"

using namespace lanescope;

namespace {

constexpr std::size_t kRows = 8;

// A timeline that is drawn, without a screen and without motion.
class Scene {
  public:
    Scene() {
        auto offscreen = Offscreen::create(1280, 500);
        REQUIRE(offscreen);
        offscreen_ = std::move(*offscreen);
        look_.fonts = load_fonts();
        set_motion(timeline, false);
    }
    Scene(const Scene&) = delete;
    Scene& operator=(const Scene&) = delete;
    ~Scene() { canvas_.close(); }

    void open(const TracePtr& trace) {
        const ViewIndexPtr index = build_view_index(trace);
        view_.forget();
        show_trace(timeline, index, build_overview(*index, index->bulk, 100), true);
        frame();
    }
    void frame() {
        canvas_.begin_frame();
        Requests requests;
        imgui_.frame([&] { view_.draw(timeline, look_, canvas_, requests, 1.0 / 60, HeldKeys()); });
    }
    // Does the same as a click on the row of a table.
    void choose(const RowTarget& target) {
        if (target.slice)
            zoom_to_slice(timeline, target.slice);
        else
            frame_range(timeline, target.range);
        frame();
        // The window applies a changed filter in the background.
        const ShownLanesPtr& shown = timeline.index->shown;
        if ((shown ? shown->filter : LaneFilter{}) != timeline.arrangement.filter)
            show_index(timeline,
                       build_view_index(timeline.index->trace, timeline.arrangement.filter));
        for (int i = 0; i < 2; ++i) frame();
    }

    Timeline timeline;

  private:
    std::unique_ptr<Offscreen> offscreen_;
    HeadlessImGui imgui_{1280, 500};
    Look look_;
    Canvas canvas_;
    TimelineView view_;
};

}  // namespace

TEST_CASE("each of the first rows of each table leads to something in view") {
    Scene scene;
    std::size_t slices = 0;
    for (const std::string& name : testing::all_traces_and_samples()) {
        CAPTURE(name);
        const TracePtr trace = testing::load_real_trace(name);
        REQUIRE(trace);
        const TraceContext context(trace);
        scene.open(trace);
        for (const TableMaker& maker : table_makers()) {
            CAPTURE(maker.spec->name);
            CAPTURE(maker.spec->by);
            const Table table = maker.make(context, {});
            for (std::size_t row = 0; row < std::min(kRows, table.row_count()); ++row) {
                CAPTURE(row);
                const RowTarget target = table.target(row);
                if (!target) continue;
                scene.choose(target);
                const TimeRange view = scene.timeline.camera.view().range();
                if (target.slice) {
                    CHECK(is_in_view(scene.timeline, target.slice));
                    slices += 1;
                } else {
                    CHECK(view.overlaps({target.range.begin, target.range.end + 1}));
                }
            }
        }
    }
    CHECK(slices > 100);
}
