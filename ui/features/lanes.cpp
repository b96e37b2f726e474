#include "ui/features/lanes.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "ui/features/lanes_file.h"
#include "ui/timeline/describe.h"
#include "ui/timeline/queries_layer.h"

namespace lanescope {

namespace {

// The lanes of the open files; kept in OpenTrace::state.
struct LanesState {
    std::string path;              // file for the arrangement; empty: not saved
    LaneArrangement kept;          // its contents
    bool is_old = false;           // it is of an older version, and will be replaced
    std::optional<LaneId> wanted;  // the lane to bring into view
};

bool is_empty(const Lane& lane) {
    return lane.slice_count == 0 && !lane.instants && !lane.counter;
}

std::string process_line(const Trace& trace, const Lane& lane) {
    const Process& process = trace.processes[lane.process];
    std::string text(trace.strings[process.name]);
    if (const std::string_view pid = trace.strings[process.pid]; !pid.empty() && pid != text)
        text += text.empty() ? std::string(pid) : " · " + std::string(pid);
    return text;
}

// Several traces in one window have a file of their own.
std::string path_of(const OpenTrace& trace, const Frame& frame) {
    std::string paths;
    for (const std::string& path : trace.paths()) paths += (paths.empty() ? "" : " + ") + path;
    return lanes_path(frame.options.lanes_folder, paths);
}

// What a command did to the lanes, for those that change more than the lane under the pointer
// shows; empty: nothing.
std::string what_changed(Action action, const std::string& lane, const LaneArrangement& now) {
    switch (action) {
        case Action::hide_lane:
            return lane + " is hidden.";
        case Action::show_all_lanes:
            return "All lanes are shown.";
        case Action::fold_all:
            return now.folded_groups.empty() ? "All groups are open." : "All groups are folded.";
        case Action::python_frames:
            return now.filter.python == PythonShown::all   ? "All Python frames are shown."
                   : now.filter.python == PythonShown::own ? "Modules and your code are shown."
                                                           : "Python frames: only modules.";
        case Action::short_slices:
            return now.filter.hide_short ? "Slices shorter than 1 µs are hidden."
                                         : "All slices are shown.";
        case Action::all_rows:
            return now.all_rows ? "Lanes have all their rows." : "Lanes have the rows in view.";
        case Action::group_by_stream:
            return now.grouping == LaneGrouping::stream ? "Lanes are grouped by stream."
                                                        : "Lanes are grouped by process.";
        case Action::reset_lanes:
            return "Lanes have their first arrangement.";
        default:
            return {};
    }
}

std::string pinned_text(const std::string& lane, LaneId id, const LaneArrangement& now) {
    return std::ranges::count(now.pinned, id) > 0 ? lane + " is pinned."
                                                  : lane + " is no longer pinned.";
}

// Changes the lanes, and reports what happened and how to undo it.
void change_lanes(Action action, Frame& frame) {
    Timeline& timeline = frame.timeline;
    const std::optional<LaneId> lane = lane_meant(timeline);
    const std::string title =
        lane ? lane_title(timeline.trace(), timeline.arrangement, *lane) : std::string();
    const LaneArrangement before = timeline.arrangement;
    act_on_lanes(timeline, action);
    if (timeline.arrangement == before) return;
    const std::string text = action == Action::pin_lane && lane
                                 ? pinned_text(title, *lane, timeline.arrangement)
                                 : what_changed(action, title, timeline.arrangement);
    const std::string undo = keys_of(frame.keys, Action::undo);
    if (!text.empty()) frame.notify(undo.empty() ? text : text + " " + undo + " undoes it.");
}

void filter_in_background(Frame& frame) {
    const ViewIndexPtr& index = frame.timeline.index;
    frame.jobs.ask(
        frame.trace->key("index"),
        [trace = index->trace, filter = frame.timeline.arrangement.filter,
         classes = index->classes]() -> ViewIndexPtr {
            return with_classes(*build_view_index(trace, filter), classes);
        },
        [&frame](const ViewIndexPtr& filtered) {
            frame.pacing.wake();
            if (frame.timeline.index && frame.timeline.index->trace == filtered->trace)
                show_index(frame.timeline, filtered);
        });
}

}  // namespace

std::span<const Action> LanesFeature::actions() const {
    static constexpr Action kActions[] = {
        Action::fold_lane,    Action::fold_all,  Action::pin_lane,        Action::hide_lane,
        Action::lane_up,      Action::lane_down, Action::show_all_lanes,  Action::lane_lower,
        Action::lane_higher,  Action::lane_menu, Action::go_to_lane,      Action::python_frames,
        Action::short_slices, Action::all_rows,  Action::group_by_stream, Action::reset_lanes};
    return kActions;
}

bool LanesFeature::take(const Request& request, Frame& frame) {
    Timeline& timeline = frame.timeline;
    if (const auto* const lane = std::get_if<ShowLane>(&request)) {
        if (timeline.index) reveal_lane(timeline, lane->lane);
    } else if (const auto* const added = std::get_if<AddQueryLane>(&request)) {
        if (timeline.index) timeline.layer<QueriesLayer>().add(added->lane);
    } else if (const auto* const removed = std::get_if<RemoveQueryLane>(&request)) {
        timeline.layer<QueriesLayer>().remove(removed->place);
    } else {
        return false;
    }
    return true;
}

void LanesFeature::act(Action action, Frame& frame) {
    if (action == Action::lane_menu)
        ask_for_menu(frame);
    else if (action == Action::go_to_lane)
        offer_lanes(frame);
    else if (frame.timeline.index)
        change_lanes(action, frame);
}

bool LanesFeature::is_on(Action action, const Frame& frame) const {
    const LaneArrangement& arrangement = frame.timeline.arrangement;
    if (action == Action::short_slices) return arrangement.filter.hide_short;
    if (action == Action::all_rows) return arrangement.all_rows;
    return action == Action::group_by_stream && arrangement.grouping == LaneGrouping::stream;
}

void LanesFeature::opened(OpenTrace& trace, Frame& frame) {
    trace.state.get<LanesState>().path = path_of(trace, frame);
    menu_of_ = {};
}

// Ids of lanes may differ between snapshots; settings for later lanes are read again from the file
// when the lanes appear.
void LanesFeature::replacing(const ViewIndexPtr& next, Frame& frame) {
    const Trace& before = frame.timeline.trace();
    if (frame.live() && before.lanes.size() == next->trace->lanes.size()) return;
    arrange(frame.timeline, [&](LaneArrangement& lanes) { keep_lanes(lanes, next, frame); });
}

// The arrangement for another trace of the same files.
void LanesFeature::keep_lanes(LaneArrangement& arrangement, const ViewIndexPtr& next,
                              Frame& frame) {
    const Trace& before = frame.timeline.trace();
    LanesState& state = frame.trace->state.get<LanesState>();
    // If nothing is saved for this trace, or this combination, what the user has changed stays.
    std::error_code none;
    if (arrangement == state.kept && !state.path.empty() &&
        std::filesystem::exists(state.path, none)) {
        arrangement = load_lanes(state.path, *next).arrangement;
        state.kept = arrangement;
        return;
    }
    if (arrangement == *frame.timeline.index->first) {
        arrangement = *next->first;
        state.kept = arrangement;
        return;
    }
    auto moved = parse_arrangement(arrangement_text(arrangement, before), *next->trace);
    if (moved) arrangement = std::move(*moved);
}

void LanesFeature::shown(bool first, Frame& frame) {
    if (first) restore(frame);
    list(frame);
}

// Lanes are saved by name, so snapshots of a loading trace restore the lanes that they have.
void LanesFeature::restore(Frame& frame) {
    LanesState& state = frame.trace->state.get<LanesState>();
    state.kept = frame.timeline.arrangement;
    if (state.path.empty()) return;
    LoadedLanes loaded = load_lanes(state.path, *frame.timeline.index);
    if (!loaded.message.empty()) frame.notify(loaded.message);
    if (!loaded.may_save) state.path.clear();
    state.is_old = loaded.is_old;
    arrange(frame.timeline, [&](LaneArrangement& lanes) { lanes = std::move(loaded.arrangement); });
    state.kept = frame.timeline.arrangement;
}

// The busy times come later, because they read every slice.
void LanesFeature::list(Frame& frame) {
    const TracePtr trace = frame.timeline.index->trace;
    panel_.set_rows(lane_rows(*trace));
    if (frame.live() || frame.trace->document().following()) return;
    frame.jobs.ask(
        frame.trace->key("busy times"),
        [trace] { return with_busy_times(*trace, lane_rows(*trace)); },
        [this, &frame](std::vector<LaneRow> rows) {
            panel_.set_rows(std::move(rows));
            frame.pacing.wake();
        });
}

void LanesFeature::follow(Frame& frame) {
    set_frames_key(frame.timeline, keys_of(frame.keys, Action::python_frames));
    follow_wanted(frame);
    if (!frame.timeline.index || !frame.trace) return;
    const ShownLanesPtr& shown = frame.timeline.index->shown;
    const LaneArrangement& arrangement = frame.timeline.arrangement;
    if (!frame.jobs.busy(frame.trace->key("index")) &&
        (shown ? shown->filter : LaneFilter{}) != arrangement.filter)
        filter_in_background(frame);
    LanesState& state = frame.trace->state.get<LanesState>();
    if (frame.trace->loading() || state.path.empty() || ImGui::IsAnyMouseDown() ||
        (arrangement == state.kept && !state.is_old))
        return;
    state.kept = arrangement;
    state.is_old = false;
    if (const auto saved = save_lanes(state.kept, *frame.timeline.index, state.path); !saved)
        frame.notify("The arrangement of lanes is not saved: " + saved.error().text);
}

void LanesFeature::offer_lanes(Frame& frame) {
    if (!frame.timeline.index) {
        frame.notify("There are no lanes until a trace is open.");
        return;
    }
    const Trace& trace = frame.timeline.trace();
    std::vector<Choice> choices;
    for (LaneId id = 0; id < trace.lanes.size(); ++id) {
        const Lane& lane = trace.lanes[id];
        if (is_empty(lane)) continue;
        choices.push_back(
            {{std::string(trace.strings[lane.name]), process_line(trace, lane), ""}, [&frame, id] {
                 if (frame.trace) frame.trace->state.get<LanesState>().wanted = id;
             }});
    }
    frame.chooser.open("Go to a lane", std::move(choices));
}

// Unfolding takes effect in the next frame's layout, so the request stays until the lane is there.
void LanesFeature::follow_wanted(Frame& frame) {
    if (!frame.trace) return;
    std::optional<LaneId>& wanted = frame.trace->state.get<LanesState>().wanted;
    Timeline& timeline = frame.timeline;
    if (!wanted || !timeline.index || *wanted >= timeline.trace().lanes.size()) {
        wanted.reset();
        return;
    }
    reveal_lane(timeline, *wanted);
    const auto& lanes = timeline.layout.lanes;
    const auto& pinned = timeline.pinned.layout.lanes;
    const bool shown = std::ranges::find(lanes, *wanted, &LaneBox::id) != lanes.end() ||
                       std::ranges::find(pinned, *wanted, &LaneBox::id) != pinned.end();
    if (shown) name_lane(timeline, std::exchange(wanted, std::nullopt));
    frame.pacing.wake();
}

void LanesFeature::describe(const Frame& frame, nlohmann::json& state) const {
    if (frame.timeline.index) describe_lanes(frame.timeline, state);
}

}  // namespace lanescope
