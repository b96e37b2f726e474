// TimelineView: draws a Timeline: overview, ruler, strips, lane heads and lanes; and takes its
// pointer. Holds buffers that are kept from frame to frame.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/view/cull.h"
#include "core/view/palette.h"
#include "core/view/ruler.h"
#include "core/view/view_rows.h"
#include "ui/look/canvas.h"
#include "ui/look/label_sheet.h"
#include "ui/timeline/lane_map_view.h"
#include "ui/timeline/timeline.h"

namespace lanescope {

// Buffers for runs in which other slices are dimmed.
struct StripFilter {
    std::vector<uint32_t> texels;
    std::vector<uint8_t> hit;  // by column of one row
};

// The rows of lanes for the current view. Rows that a moving view needs appear at once; others go
// when it has been still for a moment.
struct RowsOfView {
    ViewRows wanted;  // exactly those that the view needs
    ViewRows shown;
    const ViewIndex* index = nullptr;  // `wanted` was computed for this index …
    TimeRange range;
    SliceRef selected;
    double still = 0;  // seconds since the view moved

    bool settling() const { return shown != wanted; }
};

// The input of the layouts.
struct LaidOut {
    const ViewIndex* index = nullptr;
    LaneArrangement arrangement;
    ViewRows rows;
    double scale = 0;
    double room = 0;    // height of all lanes
    Measures measures;  // measures of the current layout
};

// A drag of the pointer, from the press of a button to its release.
struct TimelineDrag {
    enum class Kind : uint8_t {
        none,
        pan,
        mark,
        overview_move,
        overview_left,
        overview_right,
        overview_new,
        head_width,
        dock,         // the splitter above the pinned lanes
        head,         // of a lane or group, to another place
        lane_height,  // its lower edge
        scroll
    };
    // Where a dragged head would go.
    struct Drop {
        HeadTarget neighbor;
        bool after = false;
        float y = 0;
    };

    Kind kind = Kind::none;
    bool pinned = false;  // it began among the pinned lanes
    HeadTarget head;      // pointed at, or dragged
    std::optional<Drop> drop;
    double height_at_first = 0;  // of the rows, or the pinned lanes, when dragging an edge began
    ImVec2 from;
    bool moved = false;  // too far for a click
    int button = 0;
    Nanos time = 0;           // under the pointer when it began
    std::optional<double> y;  // y in the layout, for a drag over lanes
    TimeRange window;         // position on the overview when it began
};

class TimelineView {
  public:
    // Releases the trace that was drawn last.
    void forget() {
        main_.culler.forget();
        pinned_.culler.forget();
        lane_map_.forget();
        laid_out_.index = nullptr;
        rows_ = {};
    }
    // Draws into the current window, from its cursor to the end of its content, and handles the
    // pointer and held keys. `seconds`: time since the last frame.
    void draw(Timeline& timeline, const Look& look, Canvas& canvas, Requests& requests,
              double seconds, HeldKeys held);
    // True if the next frame should follow immediately.
    bool moving() const { return moving_; }

  private:
    using Drag = TimelineDrag::Kind;
    // Buffers of one area of lanes.
    struct LaneArea {
        Culler culler;
        QuadBatch lanes;
        QuadBatch overlay;  // above slices and their labels
        StripFilter strips;
        bool pinned = false;
    };

    void place(Timeline& timeline, const Look& look, double seconds);
    void place_dock(Timeline& timeline, const Look& look);
    // `room`: height of all lanes.
    void lay_out(Timeline& timeline, const Look& look, double room);
    void choose_rows(const Timeline& timeline, double seconds);
    void build_layouts(Timeline& timeline, const Look& look, double room);

    void take_pointer(Timeline& timeline, const Look& look, Requests& requests);
    void take_wheel(Timeline& timeline, const Look& look);
    void begin_drag(Timeline& timeline, const Look& look, Requests& requests);
    void continue_drag(Timeline& timeline, const Look& look);
    void end_drag(Timeline& timeline, const Look& look, Requests& requests);
    void click(Timeline& timeline, const Look& look, Requests& requests, bool twice);
    void hold_keys(Timeline& timeline, HeldKeys held);
    void drag_overview(Timeline& timeline, float x);
    std::vector<LaneId> dragged_lanes(const Timeline& timeline) const;
    void drag_lane_map(Timeline& timeline, const Look& look, float moved);
    void point_at_heads(Timeline& timeline, const Look& look);
    bool begin_head_drag(Timeline& timeline, const Look& look, Requests& requests);
    void drag_head(Timeline& timeline, const Look& look);
    void drag_lane_height(Timeline& timeline);
    void end_head_drag(Timeline& timeline);
    void click_head(Timeline& timeline, Requests& requests);

    void draw_overview(Timeline& timeline, const Look& look, Canvas& canvas);
    void draw_ruler(Timeline& timeline, const Look& look);
    void draw_lanes(Timeline& timeline, const Look& look, Canvas& canvas, LaneArea& area);
    void draw_heads(Timeline& timeline, const Look& look);
    void draw_drop(Timeline& timeline, const Look& look);
    void draw_splitter(const Timeline& timeline, const Look& look);
    void draw_empty(const Timeline& timeline, const Look& look);

    LaneArea main_;
    LaneArea pinned_ = {.culler = {}, .lanes = {}, .overlay = {}, .strips = {}, .pinned = true};
    CullOptions cull_options_;
    Palette palette_;
    SliceClassesPtr palette_of_;  // null: there is no palette yet
    LaidOut laid_out_;
    RowsOfView rows_;
    LabelSheet labels_;
    QuadBatch overview_batch_;
    LaneMapView lane_map_;
    RulerScale ruler_scale_;
    std::vector<RulerTick> ticks_;
    bool moving_ = false;
    bool hovered_ = false;  // the pointer is over this window, with nothing above it
    TimelineDrag drag_;
};

}  // namespace lanescope
