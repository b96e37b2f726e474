#include "ui/features/traces.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/analysis/structure/steps.h"
#include "core/base/format.h"
#include "core/base/url.h"
#include "core/trace/short_name.h"
#include "ui/commands/panel_names.h"
#include "ui/features/kept_slices.h"

namespace lanescope {

namespace {

constexpr double kMovePixels = 10;  // distance that a key moves a trace

// The first of two events that are to be aligned.
struct Anchor {
    SliceRef slice;
};

void move_part(uint32_t part, Nanos shift, Frame& frame) {
    LoadedTrace* const loaded = frame.loaded();
    if (!loaded || loaded->parts.size() < 2 || shift == 0) return;
    if (loaded->wanted_offsets.empty())
        for (const TracePtr& trace : loaded->parts)
            loaded->wanted_offsets.push_back(shift_of(*trace));
    loaded->wanted_offsets[part] += shift;
    frame.pacing.wake();
}

void remove_part(uint32_t part, Frame& frame) {
    if (frame.still_reading() || !frame.loaded()) return;
    std::vector<PartToOpen> parts = open_parts(*frame.loaded());
    if (parts.size() < 2 || part >= parts.size()) return;
    parts.erase(parts.begin() + part);
    uint32_t& shown = frame.trace->shown_part;
    if (shown >= part && shown > 0) --shown;
    frame.files->reopen(std::move(parts), {AlignBy::by_hand, 0, {}});
}

void align(const Alignment& alignment, Frame& frame) {
    if (frame.still_reading()) return;
    if (!frame.loaded() || frame.loaded()->parts.size() < 2) {
        frame.notify("There is nothing to align until another trace is added.");
        return;
    }
    frame.files->reopen(open_parts(*frame.loaded()), alignment);
}

// Aligns the traces by the step that contains the selection or, without one, the middle of the
// view.
void align_by_step(Frame& frame) {
    if (!frame.loaded()) return;
    const Timeline& timeline = frame.timeline;
    const TimeRange view = timeline.camera.view().range();
    const Nanos time = timeline.selected ? timeline.trace().start(timeline.selected)
                                         : view.begin + view.length() / 2;
    for (const lanescope::Step& step : frame.trace->context()->get<Steps>().all) {
        if (!step.range.contains(time)) continue;
        align({AlignBy::step, step.index, {}}, frame);
        return;
    }
    frame.notify("There is no step here to align by.");
}

// The first call remembers the selection; the second call moves the other trace so that its
// selection has the same time.
void align_events(Frame& frame) {
    const SliceRef selected = frame.timeline.selected;
    if (!selected || !frame.trace) {
        frame.notify("Select an event first.");
        return;
    }
    const Trace& trace = frame.timeline.trace();
    SliceRef& anchor = frame.trace->state.get<Anchor>().slice;
    const uint32_t part = part_of(trace, selected.lane);
    if (!anchor || part_of(trace, anchor.lane) == part) {
        anchor = selected;
        frame.notify("Now select the event of another trace that begins together with " +
                     brief_name(short_name(trace, anchor)) + ", and do this again.");
        return;
    }
    move_part(part, trace.start(anchor) - trace.start(selected), frame);
    anchor = {};
}

// Moves the trace under the pointer, or else the selection's trace, by a few pixels' time.
void nudge(int direction, Frame& frame) {
    const Timeline& timeline = frame.timeline;
    if (!timeline.index || !frame.loaded() || frame.loaded()->parts.size() < 2) return;
    uint32_t part = frame.trace->shown_part;
    if (const auto lane = lane_meant(timeline)) part = part_of(timeline.trace(), *lane);
    const Viewport& view = timeline.camera.view();
    const auto shift = std::max<Nanos>(1, std::llround(kMovePixels * view.span / view.width));
    move_part(part, direction * shift, frame);
}

void next_tables(Frame& frame) {
    if (!frame.loaded()) return;
    frame.show_part((frame.trace->shown_part + 1) %
                    static_cast<uint32_t>(frame.loaded()->contexts.size()));
}

}  // namespace

std::span<const Action> TracesFeature::actions() const {
    static constexpr Action kActions[] = {Action::open,
                                          Action::cancel_load,
                                          Action::add_trace,
                                          Action::add_graph_capture,
                                          Action::add_compile_log,
                                          Action::classify_kernels,
                                          Action::compare,
                                          Action::align_start,
                                          Action::align_clock,
                                          Action::align_step,
                                          Action::align_events,
                                          Action::trace_earlier,
                                          Action::trace_later,
                                          Action::next_tables};
    return kActions;
}

void TracesFeature::act(Action action, Frame& frame) {
    switch (action) {
        case Action::open:
            choose_file(FileUse::open, frame);
            break;
        case Action::compare:
            frame.show_panel(kComparePanel);
            break;
        case Action::add_trace:
            choose_file(frame.trace ? FileUse::add : FileUse::open, frame);
            break;
        case Action::add_graph_capture:
            if (frame.loaded() && !frame.live())
                choose_file(FileUse::graph_capture, frame);
            else
                frame.notify("Open the trace with the graph replays first.");
            break;
        case Action::add_compile_log:
            if (frame.loaded() && !frame.live())
                choose_file(FileUse::compile_log, frame);
            else
                frame.notify("Open the trace with the compiled code first.");
            break;
        case Action::classify_kernels:
            if (frame.loaded() && !frame.live())
                choose_file(FileUse::classes, frame);
            else
                frame.notify("Open the trace with the kernels first.");
            break;
        case Action::cancel_load:
            if (frame.trace) frame.trace->document().cancel();
            break;
        case Action::align_start:
            align({AlignBy::start, 0, {}}, frame);
            break;
        case Action::align_clock:
            align({AlignBy::clock, 0, {}}, frame);
            break;
        case Action::align_step:
            align_by_step(frame);
            break;
        case Action::align_events:
            align_events(frame);
            break;
        case Action::trace_earlier:
            nudge(-1, frame);
            break;
        case Action::trace_later:
            nudge(1, frame);
            break;
        default:
            next_tables(frame);
            break;
    }
}

void TracesFeature::choose_file(FileUse use, Frame& frame) {
    use_ = use;
    const std::string path = frame.files->path();
    file_dialog_.show(
        path.empty() || is_url(path) ? "" : std::filesystem::absolute(path).parent_path().string());
}

void TracesFeature::take_offer(const std::vector<std::string>& paths, Frame& frame) {
    if (frame.trace)
        offered_.show(paths);
    else
        frame.files->open(paths, {});
    frame.pacing.wake();
}

void TracesFeature::draw_offer(Frame& frame) {
    const bool may_add =
        frame.loaded() && !frame.live() && frame.trace->complete() && !frame.trace->loading();
    switch (offered_.draw(frame.look, file_name(frame.files->path()), may_add)) {
        case OfferAnswer::add:
            add(offered_.paths(), frame);
            break;
        case OfferAnswer::replace:
            frame.files->open(offered_.paths(), {});
            break;
        default:
            // While the dialog waits for the trace to be read, it must see when that is done.
            if (offered_.shown() && !may_add) frame.pacing.wake();
            break;
    }
}

void TracesFeature::draw_over(Frame& frame) {
    draw_offer(frame);
    const std::optional<std::string> path = file_dialog_.draw(frame.look);
    if (path && is_url(*path)) {
        if (const Result<void> admitted = frame.files->admit_typed(*path); !admitted) {
            file_dialog_.refuse(admitted.error().text);
            return;
        }
    }
    if (!path) return;
    switch (std::exchange(use_, FileUse::open)) {
        case FileUse::open:
            frame.requests.add(OpenFile{*path});
            break;
        case FileUse::add:
            add({*path}, frame);
            break;
        case FileUse::graph_capture:
            frame.files->add_graph_capture(*path);
            break;
        case FileUse::compile_log:
            frame.files->add_compile_log(*path);
            break;
        case FileUse::classes:
            frame.files->classify_kernels(*path);
            break;
    }
}

void TracesFeature::add(const std::vector<std::string>& paths, Frame& frame) {
    if (!frame.trace) {
        frame.files->open(paths, {});
        return;
    }
    if (frame.still_reading()) return;
    std::vector<PartToOpen> parts = open_parts(*frame.loaded());
    for (const std::string& path : paths) parts.push_back({path, nullptr, std::nullopt});
    frame.files->reopen(std::move(parts), frame.trace->alignment);
    frame.show_panel(kTracesPanel);
}

void TracesFeature::replacing(const ViewIndexPtr& next, Frame& frame) {
    if (frame.live()) return;
    SliceRef& anchor = frame.trace->state.get<Anchor>().slice;
    anchor = slice_in_join(frame.timeline.trace(), *next->trace, anchor);
}

void TracesFeature::loaded(LoadedTrace& loaded, Frame& frame) {
    if (!loaded.problems.empty()) {
        const PartProblem& first = loaded.problems.front();
        const std::size_t others = loaded.problems.size() - 1;
        frame.notify(file_name(first.path) + " is not shown: " + first.error.text +
                     (others > 0 ? " And " + std::to_string(others) + " more: see Traces." : ""));
    } else if (const auto problem = frame.trace->document().alignment_problem()) {
        frame.notify(problem->text);
    }
}

bool TracesFeature::take(const Request& request, Frame& frame) {
    const LoadedTrace* const loaded = frame.loaded();
    if (const auto* const file = std::get_if<OpenFile>(&request)) {
        frame.files->open({file->path}, {});
    } else if (std::holds_alternative<DismissError>(request)) {
        frame.files->dismiss_error();
    } else if (const auto* const move = std::get_if<BeginTraceAt>(&request)) {
        if (!loaded) return true;
        const Trace& trace = *loaded->parts[move->part];
        move_part(move->part, trace.origin + move->time - file_span(trace).begin, frame);
    } else if (const auto* const common = std::get_if<AlignTraces>(&request)) {
        if (loaded) align(common->alignment, frame);
    } else if (const auto* const removed = std::get_if<RemoveTrace>(&request)) {
        if (loaded) remove_part(removed->part, frame);
    } else {
        return false;
    }
    return true;
}

// Moves requested while others were in progress are executed together.
void TracesFeature::follow(Frame& frame) {
    LoadedTrace* const loaded = frame.loaded();
    if (!loaded || loaded->wanted_offsets.empty() || frame.trace->loading() ||
        frame.jobs.busy(frame.trace->key("index")) || !frame.trace->complete())
        return;
    std::vector<PartToOpen> parts = open_parts(*loaded);
    for (std::size_t i = 0; i < parts.size(); ++i) parts[i].offset = loaded->wanted_offsets[i];
    loaded->wanted_offsets.clear();
    frame.files->reopen(std::move(parts), {AlignBy::by_hand, 0, {}});
}

bool TracesFeature::settled(const Frame& frame) const {
    return !frame.loaded() || frame.loaded()->wanted_offsets.empty();
}

void TracesFeature::offer(std::vector<Choice>& choices, Frame& frame) {
    for (const std::string& path : frame.settings.recent_files)
        choices.push_back({{"Open " + file_name(path), path, ""},
                           [&frame, path] { frame.requests.add(OpenFile{path}); }});
}

void TracesFeature::draw_menu(std::string_view group, Frame& frame) {
    if (group != "File" || frame.settings.recent_files.empty()) return;
    ImGui::Separator();
    for (const std::string& path : frame.settings.recent_files) {
        if (ImGui::MenuItem((file_name(path) + "##" + path).c_str()))
            frame.requests.add(OpenFile{path});
        ImGui::SetItemTooltip("%s", path.c_str());
    }
}

void TracesFeature::describe(const Frame& frame, nlohmann::json& state) const {
    using nlohmann::json;
    if (!frame.timeline.index) return;
    json parts = json::array();
    json problems = json::array();
    const LoadedTrace* const loaded = frame.loaded();
    for (const TracePtr& part : loaded ? loaded->parts : std::vector<TracePtr>()) {
        const bool only = part->only_part == kNoRow;
        parts.push_back(
            {{"name", only ? "" : part->parts[part->only_part].name},
             {"path", part->path},
             {"events", part->facts.events},
             {"offset", shift_of(*part)},
             {"begin", file_span(*part).begin - part->origin},
             {"first_lane", only ? 0 : part->parts[part->only_part].first_lane},
             {"lanes", only ? part->lanes.size() : part->parts[part->only_part].lane_count}});
    }
    for (const PartProblem& problem : loaded ? loaded->problems : std::vector<PartProblem>())
        problems.push_back({{"path", problem.path}, {"text", problem.error.text}});
    constexpr const char* names[] = {"best", "start", "clock", "step", "event", "hand"};
    const AlignBy aligned_by = loaded ? loaded->aligned_by : AlignBy::best;
    json& traces = state["traces"];
    traces["parts"] = parts;
    traces["shown_part"] = frame.trace ? frame.trace->shown_part : 0;
    traces["aligned_by"] = names[static_cast<std::size_t>(aligned_by)];
    traces["busy"] = frame.trace && frame.trace->is_moving();
    traces["problems"] = problems;
}

}  // namespace lanescope
