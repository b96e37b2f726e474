#include "ui/features/recording.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/session/load_so_far.h"

namespace lanescope {

namespace {

namespace fs = std::filesystem;

constexpr double kFollowSpan = 10e9;      // visible ns while following the end
constexpr double kTablesSeconds = 2;      // minimum time between two updates of the tables
constexpr double kRecorderSeconds = 0.2;  // how often to check whether the program has ended
constexpr int kCannotRun = 126;           // the exit status that shells report
constexpr int kNotFound = 127;

// The command line program in this program's folder.
std::string recorder_program() {
    std::error_code code;
    const fs::path here = fs::read_symlink("/proc/self/exe", code).parent_path();
    return (here / "lanescope").string();
}

bool same_view(const Viewport& a, const Viewport& b) {
    return a.start == b.start && a.span == b.span;
}

// The view follows the end until something other than following moves the view.
void notice_hand(Live& live, const Timeline& timeline) {
    if (!live.follows || !timeline.index || !live.target) return;
    if (!same_view(timeline.camera.target(), *live.target)) live.follows = false;
}

void go_to_end(Live& live, Timeline& timeline) {
    if (!live.follows || !timeline.index) return;
    const TimeRange content = timeline.camera.content();
    Viewport view = timeline.camera.target();
    view.span = live.span > 0 ? live.span : kFollowSpan;
    view.span = std::min(view.span,
                         1.05 * static_cast<double>(std::max<Nanos>(content.length(), 1'000'000)));
    view.fraction = 0;
    view.start = content.end - static_cast<Nanos>(view.span * 0.97);
    move_to(timeline, view);
    live.target = timeline.camera.target();
}

// From now on the view follows the end, at the present zoom.
void switch_follow(Frame& frame) {
    Live* const live = frame.live();
    if (!live || !frame.timeline.index) {
        frame.notify("There is no recording to follow.");
        return;
    }
    live->follows = !live->follows;
    if (!live->follows) return;
    live->span = frame.timeline.camera.target().span;
    go_to_end(*live, frame.timeline);
}

void pause(Frame& frame) {
    const Live* const live = frame.live();
    if (!live) {
        frame.notify("There is no recording to pause.");
        return;
    }
    const bool paused = live->status.control == kSpoolPaused;
    frame.trace->document().steer(paused ? kSpoolRecording : kSpoolPaused);
}

void stop(Frame& frame) {
    if (frame.live())
        frame.trace->document().steer(kSpoolStopped);
    else
        frame.notify("There is no recording to stop.");
}

// From time to time, tables are computed from the whole file; their cost limits how often.
// Snapshots are only for the timeline, because their slices are in chunks by end time.
void refresh_tables(Live& live, Frame& frame) {
    if (!frame.timeline.index) return;
    if (!frame.jobs.idle(JobQueue::analysis)) {
        live.tables_done = frame.now;
        return;
    }
    const bool fits = live.status.file_bytes < live.status.memory_cap / 4;
    const double took = std::max(0.0, live.tables_done - live.tables_at);
    const double next = live.tables_done + std::max(kTablesSeconds, 4 * took);
    if (!fits || (live.tables_at > 0 && frame.now < next)) return;
    live.tables_at = live.tables_done = frame.now;
    frame.jobs.ask(
        live.key("tables"),
        [path = frame.files->path(), evidence = frame.options.evidence]()
            -> std::pair<TracePtr, std::shared_ptr<const TraceContext>> {
            const Result<TracePtr> whole = load_so_far(path);
            if (!whole) return {};
            return {*whole, std::make_shared<const TraceContext>(*whole, evidence)};
        },
        [&frame, &live](auto tables) {
            if (!tables.first) return;
            live.tables_of = std::move(tables.first);
            live.tables = std::move(tables.second);
            frame.pacing.wake();
        },
        JobQueue::analysis);
}

nlohmann::json places_json(const std::vector<std::pair<std::string, ImVec2>>& list) {
    nlohmann::json places = nlohmann::json::object();
    for (const auto& [name, place] : list) places[name] = {place.x, place.y};
    return places;
}

}  // namespace

std::span<const Action> RecordingFeature::actions() const {
    static constexpr Action kActions[] = {
        Action::record,          Action::record_samples, Action::record_torch, Action::follow_end,
        Action::pause_recording, Action::stop_recording, Action::end_program};
    return kActions;
}

void RecordingFeature::show_dialog(RecordDialog::Also also) {
    std::error_code code;
    const fs::path here = fs::current_path(code);
    dialog_.show(code ? std::string() : here.string(), also);
}

void RecordingFeature::act(Action action, Frame& frame) {
    switch (action) {
        case Action::record:
            show_dialog(RecordDialog::Also::nothing);
            break;
        case Action::record_samples:
            show_dialog(RecordDialog::Also::samples);
            break;
        case Action::record_torch:
            show_dialog(RecordDialog::Also::torch_profiler);
            break;
        case Action::follow_end:
            switch_follow(frame);
            break;
        case Action::pause_recording:
            pause(frame);
            break;
        case Action::stop_recording:
            stop(frame);
            break;
        default:
            if (recorder_)
                recorder_->end_program();
            else
                frame.notify("This window runs no program.");
            break;
    }
}

bool RecordingFeature::is_on(Action action, const Frame& frame) const {
    const Live* const live = frame.live();
    if (action == Action::follow_end) return live && live->follows;
    return action == Action::pause_recording && live && live->status.control == kSpoolPaused;
}

void RecordingFeature::draw_over(Frame& frame) {
    const std::optional<RecorderStart> start = dialog_.draw(frame.look);
    if (!start) return;
    if (recorder_ && !recorder_->ended()) {
        dialog_.show_problem("A recording of this window is under way: stop it first.");
        return;
    }
    auto recorder = Recorder::start(recorder_program(), *start);
    if (!recorder) {
        dialog_.show_problem("It cannot be run: " + recorder.error().text + ".");
        return;
    }
    dialog_.close();
    frame.files->open_recording(start->file, true);
    recorder_ = std::move(*recorder);
    if (start->torch_profiler)
        frame.notify(keys_of(frame.keys, Action::attach) +
                     " captures the program with PyTorch's profiler, once it has imported torch.");
}

// Checks whether the program has ended, and reports the result.
void RecordingFeature::follow_recorder(Frame& frame) {
    if (!recorder_) return;
    const std::optional<int> status = recorder_->ended();
    if (!status) {
        frame.pacing.set_deadline(frame.now + kRecorderSeconds);
        return;
    }
    const std::unique_ptr<Recorder> recorder = std::move(recorder_);
    std::error_code code;
    const bool did_not_begin = *status == kCannotRun || *status == kNotFound;
    if (did_not_begin || !fs::exists(recorder->file(), code)) {
        if (frame.files->path() == recorder->file()) frame.files->close();
        dialog_.show_problem("Nothing was recorded. " + recorder->first_line());
    } else if (*status != 0) {
        frame.notify("The program ended with status " + std::to_string(*status) +
                     "; what it printed is in " + recorder->log_file());
    }
}

void RecordingFeature::begin(Frame& frame) {
    follow_recorder(frame);
    if (!frame.trace) return;
    OpenTrace& trace = *frame.trace;
    const std::optional<FollowStatus> status = trace.document().following();
    if (!status) {
        if (!trace.live) return;
        trace.live.reset();
        trace.recording = false;
        frame.forget_results = true;
        if (const auto problem = trace.document().follow_problem()) frame.notify(problem->text);
        return;
    }
    if (!trace.live) trace.live = std::make_unique<Live>(frame.jobs);
    trace.live->status = *status;
    notice_hand(*trace.live, frame.timeline);
    refresh_tables(*trace.live, frame);
}

void RecordingFeature::replacing(const ViewIndexPtr& /*next*/, Frame& frame) {
    if (frame.live()) notice_hand(*frame.live(), frame.timeline);
}

void RecordingFeature::shown(bool /*first*/, Frame& frame) {
    if (frame.live()) go_to_end(*frame.live(), frame.timeline);
}

void RecordingFeature::describe(const Frame& frame, nlohmann::json& state) const {
    state["record"] = nullptr;
    if (dialog_.shown())
        state["record"] = {{"command", dialog_.command()},
                           {"file", dialog_.file()},
                           {"ring", dialog_.ring()},
                           {"samples", dialog_.samples()},
                           {"torch_profiler", dialog_.torch_profiler()},
                           {"hint", dialog_.hint()},
                           {"field", dialog_.field()},
                           {"problem", dialog_.problem()},
                           {"places", places_json(dialog_.places())}};
    state["following"] = nullptr;
    const Live* const live = frame.live();
    if (!live) return;
    const FollowStatus& status = live->status;
    state["following"] = {{"follows", live->follows},
                          {"tables", live->tables != nullptr},
                          {"paused", status.control == kSpoolPaused},
                          {"stopped", status.control == kSpoolStopped},
                          {"dropped", status.dropped},
                          {"file_bytes", status.file_bytes},
                          {"memory_bytes", status.memory_bytes},
                          {"memory_cap", status.memory_cap},
                          {"ring_ns", status.ring},
                          {"shown_ns", status.shown},
                          {"places", places_json(places_)}};
}

}  // namespace lanescope
