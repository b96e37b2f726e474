// Timeline: the central view. Holds what is shown (camera, folds, scroll), what is under the
// pointer and what is selected, and draws overview, ruler, lane heads and lanes.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/critical_path/critical_path.h"
#include "core/search/marks.h"
#include "core/session/notes.h"
#include "core/view/camera.h"
#include "core/view/cull.h"
#include "core/view/idle_spans.h"
#include "core/view/landmarks.h"
#include "core/view/lane_arrangement.h"
#include "core/view/lane_layout.h"
#include "core/view/lane_map.h"
#include "core/view/overview.h"
#include "core/view/palette.h"
#include "core/view/pick.h"
#include "core/view/query_lane.h"
#include "core/view/ruler.h"
#include "core/view/step_lane.h"
#include "core/view/view_index.h"
#include "core/view/view_rows.h"
#include "core/view/visible_links.h"
#include "core/view/wheel.h"
#include "ui/commands/head_target.h"
#include "ui/commands/requests.h"
#include "ui/look/canvas.h"
#include "ui/look/theme.h"
#include "ui/timeline/alike.h"
#include "ui/timeline/class_filter.h"
#include "ui/timeline/place_history.h"

namespace lanescope {

// A rectangle in the window.
struct Box {
    float x0 = 0, y0 = 0, x1 = 0, y1 = 0;
    float width() const { return x1 - x0; }
    float height() const { return y1 - y0; }
    bool holds(ImVec2 p) const { return p.x >= x0 && p.x < x1 && p.y >= y0 && p.y < y1; }
};

// The positions of the timeline's parts.
struct TimelineAreas {
    Box overview, ruler, heads, lanes;
    Box steps;     // empty if the trace has no steps
    Box queries;   // empty if no query is shown as a lane
    Box lane_map;  // empty if all lanes are in view
    Box splitter;  // above the pinned lanes; empty if there are none
};

// A range of time that the user marked over some lanes, and the number of slices that begin in it,
// once counted.
struct MarkedRange {
    TimeRange time;
    std::vector<LaneId> lanes;  // ascending; empty: all
    std::optional<uint64_t> slices;
};

// A visible dead window or idle gap of the last frame, with its position.
struct ShownIdle {
    LaneId lane = 0;
    uint32_t depth = 0;
    TimeRange span;
    std::optional<GapCause> cause;  // none: a dead window
    Neighbours sides;               // what ran before and after a gap
    Nanos device_idle = 0;          // the part of a gap in which the whole GPU was idle
    Box box;
};

// While all flows are shown: the number of flows of visible slices, and how many of them are drawn.
struct ShownFlows {
    std::size_t drawn = 0;
    std::size_t all = 0;
};

// What happens to slices that do not match the search.
enum class FoundFilter : uint8_t { off, dim, hide };

// The critical path of a step, prepared for drawing.
struct DrawnPath {
    TimeRange range;
    std::vector<PathSegment> segments;  // sorted by time; they fill the range
};

// The pinned lanes: an area below the others that does not scroll with them.
struct PinnedLanes {
    LaneLayout layout;  // without rows: no lane is pinned
    double scroll_y = 0;
    Box heads, lanes;
};

// A lane of a query, with the boxes that the last frame drew for it.
struct QueryStrip {
    QueryLanePtr lane;
    uint32_t rows = 0;  // number of shown depths
    Box box, rows_box, remove;
};

// The frame around a slice that was brought into view: it fades once.
struct Flash {
    static constexpr double kSeconds = 0.6;
    SliceRef slice;
    double left = 0;  // seconds
};

struct Timeline {
    ViewIndexPtr index;  // null: nothing to show
    Camera camera;
    LaneArrangement arrangement;
    LaneLayout layout;
    PinnedLanes pinned;
    Overview overview;
    std::vector<float> lost;  // see lost_time(); empty: unknown
    double scroll_y = 0;
    float head_width = 196;  // at scale 1
    WheelHabits wheel;
    std::string frames_key;  // of the command that shows Python frames; empty: it has none

    SliceRef selected;
    std::vector<SliceRef> same_call;  // a collective's calls on all ranks, by rank
    PlaceHistory places;
    // Scrolled into view at the next drawing, once the rows of opened lanes have their places.
    SliceRef revealed;
    SliceRef awaited;  // hidden by the filter until show_index(); revealed then
    Flash flash;
    std::shared_ptr<const Alike> alike;  // all slices like one, while they are shown; else null
    FoundPtr found;                      // matches of the search; null: no search
    FoundFilter filter = FoundFilter::off;
    ClassFilter classes;  // chosen in the legend
    std::optional<MarkedRange> marked;
    std::optional<TimeRange> gap;           // the idle gap that is described …
    uint32_t gap_process = 0;               // … and its row of Trace::processes
    std::shared_ptr<const IdleSpans> idle;  // null: not known yet
    // Dead windows of partly shown lanes; may be of lanes that were shown before.
    std::shared_ptr<const ShownIdleSpans> shown_windows;
    bool idle_shown = true;
    // Flows are shown for all visible slices, not only for the selected one.
    bool flows_shown = false;
    bool path_shown = false;                              // the critical paths are shown
    std::shared_ptr<const std::vector<DrawnPath>> paths;  // paths of all steps; null: not yet known
    std::shared_ptr<const std::vector<Landmark>> landmarks;  // null: not known yet
    std::shared_ptr<const std::vector<StepBox>> steps;       // by begin; null: not known yet
    std::vector<Note> notes;                                 // by begin, then end
    std::optional<uint32_t> chosen_note;

    std::vector<QueryStrip> queries;  // above the lanes of the trace

    // From the last frame.
    TimelineAreas areas;
    Hit hovered;
    std::vector<ShownIdle> shown_idle;
    ShownFlows flows;
    std::vector<Box> landmark_places;    // as `landmarks`
    std::optional<LaneId> pointed_lane;  // under the pointer, in heads or lanes
    // A lane found by name: takes the place of the lane under the pointer until the pointer moves.
    std::optional<LaneId> named_lane;
    bool pointer_inside = false;  // over lanes or ruler
    double frame_seconds = 0;     // time for culling and painting the last frame

    const Trace& trace() const { return *index->trace; }
};

// During its lifetime, the pinned lanes replace the others, so that all drawing and picking applies
// to them.
class PinnedScope {
  public:
    PinnedScope(Timeline& timeline, bool on);
    ~PinnedScope();
    PinnedScope(const PinnedScope&) = delete;
    PinnedScope& operator=(const PinnedScope&) = delete;

  private:
    Timeline* timeline_;
};

// Shows another trace: `fresh` frames all of it; a newer snapshot of the same file keeps the view.
void show_trace(Timeline& timeline, ViewIndexPtr index, Overview overview, bool fresh);
void close_trace(Timeline& timeline);

// Selects the slice and brings it into view: opens its lane, scrolls to its row, and moves the
// range of time if necessary. If the filter of lanes hides the slice, such as a folded Python
// frame, the filter changes. Until show_index() applies the new filter, the slice's caller is
// brought into view instead. The slice flashes once.
void select_slice(Timeline& timeline, SliceRef slice);
void reveal_slice(Timeline& timeline, SliceRef slice);
// Likewise, and fits it into the range of time.
void zoom_to_slice(Timeline& timeline, SliceRef slice);
// Only opens the lane of the slice and scrolls to its row.
void reveal_row(Timeline& timeline, SliceRef slice);
// Whether a part of the slice is within the lanes, or the pinned lanes.
bool is_in_view(const Timeline& timeline, SliceRef slice);
// Scrolls as little as brings a part of the layout into view; the top of a part that is too high.
void scroll_to(Timeline& timeline, double top, double bottom);
// Scrolls to the row of `revealed`, among pinned lanes too.
void scroll_to_revealed(Timeline& timeline);
void reveal_lane(Timeline& timeline, LaneId lane);
// Brings the stream with most slices into view, unless a stream is visible.
void reveal_gpu_work(Timeline& timeline);
// Makes the heads of lanes wider, by design pixels, within bounds.
void resize_heads(Timeline& timeline, float change);
void mark_range(Timeline& timeline, TimeRange time, std::vector<LaneId> lanes = {});
// Shows the quiet lanes of a group; if a filter leaves nothing of them, their Python frames, too.
void show_quiet_lanes(Timeline& timeline, const std::string& group);
// Shows another filter of the same trace's slices; view and selection stay.
void show_index(Timeline& timeline, ViewIndexPtr index);
// The lane that keys act on: under the pointer, or found by name, or else that of the selection.
std::optional<LaneId> lane_meant(const Timeline& timeline);
// The Python frames that the next press of the key shows: modules, own, all, modules again.
PythonShown next_python(PythonShown python);
// Executes an action on the arrangement of lanes, for the lane that keys act on. False if it is
// another kind of action.
bool act_on_lanes(Timeline& timeline, Action action);
// Executes a timeline action; false if it is another kind of action.
bool act(Timeline& timeline, Action action);

// The line beside the head of a group: what it holds, and which of it is left out.
std::string group_line(const Timeline& timeline, const GroupBox& group);
// Says how busy a GPU with folded streams is, because group_line() is not drawn then. Empty:
// unknown.
std::string folded_line(const Timeline& timeline, const GroupBox& group);

// The step at a point of the window, on the lane of steps; null: none.
const StepBox* step_at(const Timeline& timeline, const Look& look, ImVec2 at);
// Whether a step takes another time on its device: the lane of steps then has a second row.
bool has_device_steps(const Timeline& timeline);

// The part of the heads at a point of the window.
HeadTarget head_at(const Timeline& timeline, const Look& look, ImVec2 point);

// The part of the lane map that represents the visible lanes; empty if all lanes are in view.
Box lane_map_window(const Timeline& timeline, const Look& look);

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
    const ViewIndex* index = nullptr;  // what `wanted` was computed for …
    TimeRange range;
    SliceRef selected;
    double still = 0;  // seconds since the view moved

    bool settling() const { return shown != wanted; }
};

// What drawing needs in addition to a Timeline: buffers that are kept from frame to frame.
class TimelineView {
  public:
    // Releases the trace that was drawn last.
    void forget() {
        main_layer_.culler.forget();
        pinned_layer_.culler.forget();
        lane_map_index_.reset();
        laid_out_ = nullptr;
        rows_ = {};
    }
    // Draws into the current window, from its cursor to the end of its content, and handles the
    // pointer and held keys. `seconds`: time since the last frame.
    void draw(Timeline& timeline, const Look& look, Canvas& canvas, Requests& requests,
              double seconds, HeldKeys held);
    // True if the next frame should follow immediately.
    bool moving() const { return moving_; }

  private:
    enum class Drag {
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

    void place(Timeline& timeline, const Look& look, double seconds);
    void take_pointer(Timeline& timeline, const Look& look, Requests& requests);
    void take_wheel(Timeline& timeline, const Look& look);
    void begin_drag(Timeline& timeline, const Look& look, Requests& requests);
    void continue_drag(Timeline& timeline, const Look& look);
    void end_drag(Timeline& timeline, const Look& look, Requests& requests);
    void click(Timeline& timeline, const Look& look, Requests& requests, bool twice);
    void hold_keys(Timeline& timeline, HeldKeys held);
    void drag_overview(Timeline& timeline, float x);
    std::vector<LaneId> dragged_lanes(const Timeline& timeline) const;

    void draw_overview(Timeline& timeline, const Look& look, Canvas& canvas);
    void draw_ruler(Timeline& timeline, const Look& look);
    void draw_steps(Timeline& timeline, const Look& look, Canvas& canvas);
    // Returns the height of the lanes of queries at the top of the area.
    static float place_queries(Timeline& timeline, const Look& look, Box area);
    void draw_queries(Timeline& timeline, const Look& look, Canvas& canvas, Requests& requests);
    void draw_splitter(const Timeline& timeline, const Look& look);
    void place_dock(Timeline& timeline, const Look& look);
    // Buffers of one area of lanes.
    struct Layer {
        Culler culler;
        QuadBatch lanes;
        QuadBatch overlay;  // above slices and their labels
        std::vector<ShownIdle> idle;
        StripFilter strips;
        VisibleLinks links;
        bool pinned = false;
    };
    void draw_lanes(Timeline& timeline, const Look& look, Canvas& canvas, Layer& layer);
    void draw_heads(Timeline& timeline, const Look& look);
    void draw_lane_map(const Timeline& timeline, const Look& look, Canvas& canvas);
    void drag_lane_map(Timeline& timeline, const Look& look, float moved);
    void draw_drop(Timeline& timeline, const Look& look);
    void lay_out(Timeline& timeline, const Look& look);
    void choose_rows(const Timeline& timeline, double seconds);
    void build_layouts(Timeline& timeline, const Look& look);
    void point_at_heads(Timeline& timeline, const Look& look);
    bool begin_head_drag(Timeline& timeline, const Look& look, Requests& requests);
    void drag_head(Timeline& timeline, const Look& look);
    void drag_lane_height(Timeline& timeline);
    void end_head_drag(Timeline& timeline);
    void click_head(Timeline& timeline, Requests& requests);
    void draw_empty(const Timeline& timeline, const Look& look);

    Layer main_layer_;
    Layer pinned_layer_ = {.culler = {},
                           .lanes = {},
                           .overlay = {},
                           .idle = {},
                           .strips = {},
                           .links = {},
                           .pinned = true};
    CullOptions cull_options_;
    Palette palette_;
    SliceClassesPtr palette_of_;  // null: there is no palette yet
    double measured_scale_ = 0;
    const ViewIndex* laid_out_ = nullptr;
    LaneArrangement laid_out_arrangement_;
    RowsOfView rows_;
    ViewRows laid_out_rows_;
    LabelSheet labels_;
    QuadBatch overview_batch_;
    QuadBatch steps_batch_;
    QuadBatch queries_batch_;
    QuadBatch lane_map_batch_;
    LaneMap lane_map_;
    std::vector<LaneMapBar> lane_map_bars_;
    float lane_map_height_ = -1;    // height of `lane_map_bars_` …
    uint64_t lane_map_layout_ = 0;  // … their layout …
    ViewIndexPtr lane_map_index_;   // … and their index
    RulerScale ruler_scale_;
    std::vector<RulerTick> ticks_;
    bool moving_ = false;
    bool hovered_ = false;  // the pointer is over this window, with nothing above it

    Drag drag_ = Drag::none;
    bool drag_pinned_ = false;  // the drag began among the pinned lanes
    HeadTarget head_;           // pointed at, or dragged
    struct Drop {
        HeadTarget neighbor;
        bool after = false;
        float y = 0;
    };
    std::optional<Drop> drop_;    // where a dragged head would go
    double height_at_first_ = 0;  // of the rows, or the pinned lanes, when dragging an edge began
    ImVec2 drag_from_;
    bool dragged_ = false;  // the pointer moved too far for a click
    int drag_button_ = 0;
    Nanos drag_time_ = 0;           // under the pointer when the drag began
    std::optional<double> drag_y_;  // y in the layout, for a drag over lanes
    TimeRange drag_window_;         // position on the overview when the drag began
};

}  // namespace lanescope
