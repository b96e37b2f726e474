// Requests from a part of the window to the rest: collected while a frame is built, executed
// afterwards.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/nanos.h"
#include "core/trace/slice.h"
#include "core/trace/trace.h"
#include "ui/commands/keys.h"

namespace lanescope {

// What the user selected last: if two panels share a place, the one that describes it comes to the
// front.
enum class Tell { nothing, selection, range };

// A part of the window to be saved as drawn.
struct PartPicture {
    int x = 0, y = 0, width = 0, height = 0;  // of the window, in Dear ImGui's units
    std::string path;
};

struct Requests {
    std::vector<Action> actions;
    std::optional<std::string> open;  // a path
    TracePtr slices_of;               // the trace of the slices below; null: the visible one
    std::optional<SliceRef> select;   // and bring it into view
    std::optional<SliceRef> zoom_to;
    std::optional<SliceRef> what_if;  // all like it took less
    std::optional<LaneId> show_lane;
    std::optional<TimeRange> frame_range;  // fit it into view
    std::optional<uint32_t> choose_note;   // before the actions
    std::optional<uint32_t> show_note;     // and bring it into view
    std::optional<std::string> notify;     // a short message
    std::optional<PartPicture> picture;    // of a part of the window
    Tell tell = Tell::nothing;
    bool head_menu = false;  // of Timeline::head_menu
    bool show_lanes_panel = false;
    bool slice_menu = false;  // of the selected slice
    bool dismiss_error = false;
    bool show_warnings = false;

    void act(Action action) { actions.push_back(action); }
};

}  // namespace lanescope
