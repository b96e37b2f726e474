// Timeline: the central view: its model and its layers. Outside of this folder they are changed by
// the functions below, by a layer's own feature, and by requests.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ui/commands/head_target.h"
#include "ui/commands/keys.h"
#include "ui/look/theme.h"
#include "ui/timeline/layers.h"
#include "ui/timeline/timeline_model.h"

namespace lanescope {

struct Timeline : TimelineModel {
    TimelineLayers layers;

    // The layer of a type.
    template <class L>
    L& layer() const {
        return layers.get<L>();
    }
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

// Selects the slice, or nothing, and leaves the view as it is.
void set_selected(Timeline& timeline, SliceRef slice);
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
void unmark_range(Timeline& timeline);
// The same range has other lanes in a newer trace.
void mark_lanes(Timeline& timeline, std::vector<LaneId> lanes);
// The number of slices that begin in the marked range.
void set_marked_slices(Timeline& timeline, uint64_t slices);
// Fits the range into the view; `margin`: as a part of the view, on each side.
void frame_range(Timeline& timeline, TimeRange range, double margin = 0.05);
// Shows a view with the present width, within the trace.
void move_to(Timeline& timeline, Viewport view);
// Moves the view so that the time is in its middle, and keeps the zoom.
void center_on(Timeline& timeline, Nanos time);
void set_scroll(Timeline& timeline, double scroll_y);
// Changes the arrangement of lanes.
void arrange(Timeline& timeline, const std::function<void(LaneArrangement&)>& change);
// Keys act on this lane, which the user found by name, until the pointer moves; none: as usual.
void name_lane(Timeline& timeline, std::optional<LaneId> lane);
// Adds the place where the user is to the history of places.
void note_place(Timeline& timeline);
// Settings of the window: the width of the heads in design pixels, whether the view moves smoothly,
// the directions of the wheel, and the keys of the command that shows Python frames.
void set_head_width(Timeline& timeline, float width);
void set_motion(Timeline& timeline, bool motion);
void set_wheel(Timeline& timeline, WheelHabits wheel);
void set_frames_key(Timeline& timeline, std::string keys);
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
// Likewise, for this lane.
void act_on_lane(Timeline& timeline, Action action, LaneId lane);
// Executes a timeline action; false if it is another kind of action.
bool act(Timeline& timeline, Action action);

// The line beside the head of a group: what it holds, and which of it is left out.
std::string group_line(const Timeline& timeline, const GroupBox& group);
// Says how busy a GPU with folded streams is, because group_line() is not drawn then. Empty:
// unknown.
std::string folded_line(const Timeline& timeline, const GroupBox& group);

// The part of the heads at a point of the window.
HeadTarget head_at(const Timeline& timeline, const Look& look, ImVec2 point);

// The part of the lane map that represents the visible lanes; empty if all lanes are in view.
Box lane_map_window(const Timeline& timeline, const Look& look);

}  // namespace lanescope
