// Requests from a part of the window to the rest: messages that are collected while a frame is
// built. Afterwards each is given to the features, in the order in which they were added; one of
// them takes it (Feature::take).
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/nanos.h"
#include "core/base/result.h"
#include "core/overlays/query_lane.h"
#include "core/session/alignment.h"
#include "core/trace/slice.h"
#include "core/trace/trace.h"
#include "ui/commands/head_target.h"
#include "ui/commands/keys.h"

namespace lanescope {

// Opens the trace at a path.
struct OpenFile {
    std::string path;
};
// Closes the error that is shown instead of a trace.
struct DismissError {};

// In the messages about slices and lanes, `of` is the trace that they belong to; null: the one on
// the timeline.

// Selects the slice and brings it into view.
struct SelectSlice {
    SliceRef slice;
    TracePtr of = {};
};
// Selects the slice and fits it into the view.
struct ZoomToSlice {
    SliceRef slice;
    TracePtr of = {};
};
// Asks what if all slices like this one took less time.
struct AskWhatIf {
    SliceRef slice;
    TracePtr of = {};
};
// Brings the lane into view.
struct ShowLane {
    LaneId lane = 0;
    TracePtr of = {};
};
// Fits the range into the view.
struct FrameRange {
    TimeRange range;
};
// Describes the idle gap of a GPU at this time.
struct DescribeGap {
    TimeRange range;
};

// Shows the lane of a query above the lanes of the trace.
struct AddQueryLane {
    QueryLanePtr lane;
};
// Removes the lane of a query, by its place.
struct RemoveQueryLane {
    std::size_t place = 0;
};

// Chooses a note, by its place; `show`: brings it into view, too.
struct ChooseNote {
    uint32_t note = 0;
    bool show = false;
};

// Shows a short message.
struct Notify {
    std::string text;
};
// Brings a panel to the front.
struct ShowPanel {
    std::string_view name;
};

// What the user selected last: if two panels share a place, the panel that describes it comes to
// the front.
enum class Described { selection, range };
struct Describe {
    Described what = Described::selection;
};

// Opens the menu of the selected slice, or of a part of the heads, at the pointer.
struct OpenSliceMenu {};
struct OpenHeadMenu {
    HeadTarget target;
};

// A part of the window, and the file for its picture.
struct PartPicture {
    int x = 0, y = 0, width = 0, height = 0;  // of the window, in Dear ImGui's units
    std::string path;
};

// Saves a part of the window.
struct SavePicture {
    PartPicture part;
};

// A file to be saved where the user chooses: by `save`, in the background, or as a picture of a
// part of the window.
struct SaveRequest {
    std::string what;  // begins the message: "Table"
    std::string path;  // suggested
    std::function<Result<void>(const std::string& path)> save;
    std::optional<PartPicture> part = {};
};

// Changes of the window's traces, by the index of the part.
struct RemoveTrace {
    uint32_t part = 0;
};
struct BeginTraceAt {
    uint32_t part = 0;
    Nanos time = 0;  // from the common origin
};
struct AlignTraces {
    Alignment alignment;
};

using Request = std::variant<Action, OpenFile, DismissError, SelectSlice, ZoomToSlice, AskWhatIf,
                             ShowLane, FrameRange, DescribeGap, AddQueryLane, RemoveQueryLane,
                             ChooseNote, Notify, ShowPanel, Describe, OpenSliceMenu, OpenHeadMenu,
                             SavePicture, SaveRequest, RemoveTrace, BeginTraceAt, AlignTraces>;

class Requests {
  public:
    void add(Request request) { all_.push_back(std::move(request)); }
    // Executes a command.
    void act(Action action) { add(action); }

    const std::vector<Request>& all() const { return all_; }
    // The first message of a type; null: there is none.
    template <class Message>
    const Message* find() const {
        for (const Request& request : all_)
            if (const Message* const message = std::get_if<Message>(&request)) return message;
        return nullptr;
    }
    // Removes all messages, and returns them.
    std::vector<Request> take_all() { return std::exchange(all_, {}); }
    // Removes the first message of a type, for a feature that needs it before the frame is
    // complete; none: there is none.
    template <class Message>
    std::optional<Message> take() {
        for (auto at = all_.begin(); at != all_.end(); ++at) {
            Message* const message = std::get_if<Message>(&*at);
            if (!message) continue;
            std::optional<Message> taken(std::move(*message));
            all_.erase(at);
            return taken;
        }
        return std::nullopt;
    }

  private:
    std::vector<Request> all_;
};

}  // namespace lanescope
