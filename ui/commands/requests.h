// Requests from a part of the window to the rest: collected while a frame is built, executed
// afterwards.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/nanos.h"
#include "core/base/result.h"
#include "core/session/alignment.h"
#include "core/trace/slice.h"
#include "core/trace/trace.h"
#include "core/view/query_lane.h"
#include "ui/commands/keys.h"

namespace lanescope {

// What the user selected last: if two panels share a place, the panel that describes it comes to
// the front.
enum class Described { nothing, selection, range };

// A part of the window to be saved as drawn.
struct PartPicture {
    int x = 0, y = 0, width = 0, height = 0;  // of the window, in Dear ImGui's units
    std::string path;
};

// A file to be saved where the user chooses: by `save`, in the background, or as a picture of a
// part of the window.
struct SaveRequest {
    std::string what;  // begins the message: "Table"
    std::string path;  // suggested
    std::function<Result<void>(const std::string& path)> save;
    std::optional<PartPicture> part = {};
};

// Changes of the window's traces.
struct TraceRequests {
    std::optional<uint32_t> remove;                      // index of a part
    std::optional<std::pair<uint32_t, Nanos>> begin_at;  // part, and time from the common origin
    std::optional<Alignment> align;
};

struct Requests {
    std::vector<Action> actions;
    std::optional<std::string> open;  // path of a trace
    TracePtr slices_of;  // the trace of the slices below; null: the trace on the timeline
    std::optional<SliceRef> select;  // select it and bring it into view
    std::optional<SliceRef> zoom_to;
    std::optional<SliceRef> what_if;  // as if all slices like it took less time
    std::optional<LaneId> show_lane;
    std::optional<TimeRange> frame_range;        // fit the range into view
    std::optional<TimeRange> gap;                // describe the idle gap of a GPU at this time
    QueryLanePtr add_query_lane;                 // show it above the lanes of the trace
    std::optional<std::size_t> drop_query_lane;  // the lane of a query, by its place
    std::optional<uint32_t> choose_note;         // executed before the actions
    std::optional<uint32_t> show_note;           // choose it and bring it into view
    std::optional<std::string> notify;           // a short message
    std::optional<PartPicture> picture;          // save a part of the window
    std::optional<SaveRequest> save;             // ask where, and save it
    std::string_view show_panel;                 // panel to bring to the front; empty: none
    TraceRequests traces;
    Described described = Described::nothing;
    bool head_menu = false;   // open the menu of Timeline::head_menu
    bool slice_menu = false;  // open the menu of the selected slice
    bool dismiss_error = false;

    void act(Action action) { actions.push_back(action); }
};

}  // namespace lanescope
