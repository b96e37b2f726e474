// Requests from a part of the window to the rest: collected while a frame is built, executed
// afterwards.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/nanos.h"
#include "core/session/alignment.h"
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

// Changes of the window's traces.
struct TraceRequests {
    std::optional<uint32_t> remove;                      // a part
    std::optional<std::pair<uint32_t, Nanos>> begin_at;  // a part; relative to the common origin
    std::optional<Alignment> align;
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
    std::string_view show_panel;           // bring it to the front; empty: none
    TraceRequests traces;
    Tell tell = Tell::nothing;
    bool head_menu = false;   // of Timeline::head_menu
    bool slice_menu = false;  // of the selected slice
    bool dismiss_error = false;

    void act(Action action) { actions.push_back(action); }
};

}  // namespace lanescope
