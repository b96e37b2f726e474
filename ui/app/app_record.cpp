// Records a program from the window, and follows a growing recording.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include "core/base/format.h"
#include "core/session/load_so_far.h"
#include "core/trace/same_slice.h"
#include "ui/app/app.h"

namespace lanescope {

namespace {

namespace fs = std::filesystem;

constexpr double kFollowSpan = 10e9;      // visible ns while following the end
constexpr double kTablesSeconds = 2;      // minimum time between two updates of the tables
constexpr double kRecorderSeconds = 0.2;  // how often to check whether the program has ended
constexpr int kCannotRun = 126;           // as shells have it
constexpr int kNotFound = 127;
constexpr float kCardWidth = 860;
constexpr float kCardHeight = 40;

// The command line program in this program's folder.
std::string recorder_program() {
    std::error_code code;
    const fs::path here = fs::read_symlink("/proc/self/exe", code).parent_path();
    return (here / "lanescope").string();
}

bool same_view(const Viewport& a, const Viewport& b) {
    return a.start == b.start && a.span == b.span;
}

}  // namespace

void App::show_record() {
    std::error_code code;
    const fs::path here = fs::current_path(code);
    record_dialog_.show(code ? std::string() : here.string());
}

void App::draw_record() {
    const std::optional<RecorderStart> start = record_dialog_.draw(look_);
    if (!start) return;
    if (live_.recorder && !live_.recorder->ended()) {
        record_dialog_.show_problem("A recording of this window is under way: stop it first.");
        return;
    }
    auto recorder = Recorder::start(recorder_program(), *start);
    if (!recorder) {
        record_dialog_.show_problem("It cannot be run: " + recorder.error().text + ".");
        return;
    }
    record_dialog_.close();
    open_recording(start->file, true);
    live_.recorder = std::move(*recorder);
}

void App::open_recording(const std::string& path, bool wait) {
    begin_document(path, Document::follow(path, wait, wake_));
    watched_.clear();
}

// Checks whether the program has ended, and reports the result.
void App::follow_recorder() {
    if (!live_.recorder) return;
    const std::optional<int> status = live_.recorder->ended();
    if (!status) {
        pacing_.set_deadline(now_ + kRecorderSeconds);
        return;
    }
    const std::unique_ptr<Recorder> recorder = std::move(live_.recorder);
    std::error_code code;
    const bool did_not_begin = *status == kCannotRun || *status == kNotFound;
    if (did_not_begin || !fs::exists(recorder->file(), code)) {
        if (path_ == recorder->file()) {
            close_document();
            error_.reset();
        }
        record_dialog_.show_problem("Nothing was recorded. " + recorder->first_line());
    } else if (*status != 0) {
        notify("The program ended with status " + std::to_string(*status) +
                   "; what it printed is in " + recorder->log_file(),
               now_);
    }
}

// Once a frame, after new snapshots were taken.
void App::follow_recording() {
    follow_recorder();
    live_.status = document_ ? document_->following() : std::nullopt;
    if (!live_.status) {
        if (!std::exchange(live_.on, false)) return;
        live_.tables.reset();
        live_.tables_of.reset();
        forget_panels();
        if (document_ && !options_.still) watch_file();
        if (const auto problem = document_ ? document_->follow_problem() : std::nullopt)
            notify(problem->text, now_);
        return;
    }
    if (!std::exchange(live_.on, true)) {
        live_.follows = true;
        live_.target.reset();
    }
    notice_hand();
    refresh_tables();
}

// The view follows until something other than following moves it.
void App::notice_hand() {
    if (!live_.follows || !timeline_.index || !live_.target) return;
    if (!same_view(timeline_.camera.target(), *live_.target)) live_.follows = false;
}

// From time to time, tables are computed from the whole file; their cost limits how often.
// Snapshots are only for the timeline, because their slices are in chunks by end time.
void App::refresh_tables() {
    if (!timeline_.index) return;
    if (!analysis_worker_.idle()) {
        live_.tables_done = now_;
        return;
    }
    const bool fits = live_.status->file_bytes < live_.status->memory_cap / 4;
    const double took = std::max(0.0, live_.tables_done - live_.tables_at);
    const double next = live_.tables_done + std::max(kTablesSeconds, 4 * took);
    if (!fits || (live_.tables_at > 0 && now_ < next)) return;
    live_.tables_at = live_.tables_done = now_;
    analysis_worker_.post([this, path = path_, file = opened_, specs = options_.specs] {
        const Result<TracePtr> whole = load_so_far(path);
        const auto context = whole ? std::make_shared<const TraceContext>(*whole, specs) : nullptr;
        return [this, file, context, trace = whole ? *whole : nullptr] {
            if (file != opened_ || !live_.on || !context) return;
            live_.tables_of = trace;
            live_.tables = context;
            pacing_.wake();
        };
    });
}

// Replaces a snapshot by a newer one: selection and marks stay.
void App::show_snapshot(const ViewIndexPtr& index, Overview overview) {
    notice_hand();
    const TracePtr before = timeline_.index->trace;
    const Trace& after = *index->trace;
    const SliceRef selected = same_slice(*before, timeline_.selected, after);
    std::vector<LaneId> marked;
    if (timeline_.marked)
        for (const LaneId id : timeline_.marked->lanes)
            if (const auto lane = same_lane(*before, id, after)) marked.push_back(*lane);
    const bool had_facts = facts_.has_value() && described_slice_ == timeline_.selected;
    if (before->lanes.size() != after.lanes.size()) take_over_lanes(*before, index->trace);
    show_trace(timeline_, index, std::move(overview), false);
    timeline_.selected = selected;
    if (timeline_.marked) timeline_.marked->lanes = std::move(marked);
    // Arguments that were already read remain valid.
    described_slice_ = selected;
    if (selected && had_facts)
        facts_ = facts_of(after, selected);
    else
        described_slice_ = {};
    go_to_end();
}

// The input of panels during a recording: an older snapshot, with the selection if it is in it.
PanelInputs App::inputs_of_recording(PanelInputs inputs) const {
    inputs.context = live_.tables;
    inputs.shown = live_.tables_of;
    inputs.live = true;
    inputs.selected = inputs.selected && live_.tables_of
                          ? same_slice(timeline_.trace(), inputs.selected, *live_.tables_of)
                          : SliceRef{};
    return inputs;
}

std::vector<LaneId> App::marked_lanes() const {
    if (!timeline_.marked) return {};
    if (!live_.on || !live_.tables_of) return timeline_.marked->lanes;
    std::vector<LaneId> lanes;
    for (const LaneId id : timeline_.marked->lanes)
        if (const auto lane = same_lane(timeline_.trace(), id, *live_.tables_of))
            lanes.push_back(*lane);
    std::ranges::sort(lanes);
    return lanes;
}

void App::go_to_end() {
    if (!live_.follows || !timeline_.index) return;
    const TimeRange content = timeline_.camera.content();
    Viewport view = timeline_.camera.target();
    view.span = live_.span > 0 ? live_.span : kFollowSpan;
    view.span = std::min(view.span,
                         1.05 * static_cast<double>(std::max<Nanos>(content.length(), 1'000'000)));
    view.fraction = 0;
    view.start = content.end - static_cast<Nanos>(view.span * 0.97);
    timeline_.camera.go_to(clamped(view, content));
    live_.target = timeline_.camera.target();
}

// From now on follows the end, with the present zoom.
void App::switch_follow() {
    if (!live_.on || !timeline_.index) {
        notify("There is no recording to follow.", now_);
        return;
    }
    live_.follows = !live_.follows;
    if (!live_.follows) return;
    live_.span = timeline_.camera.target().span;
    go_to_end();
}

void App::pause_recording() {
    if (!live_.status) {
        notify("There is no recording to pause.", now_);
        return;
    }
    const bool paused = live_.status->control == kSpoolPaused;
    document_->steer(paused ? kSpoolRecording : kSpoolPaused);
}

void App::stop_recording() {
    if (!live_.status) {
        notify("There is no recording to stop.", now_);
        return;
    }
    document_->steer(kSpoolStopped);
}

bool App::act_on_recording(Action action) {
    switch (action) {
        case Action::record:
            show_record();
            return true;
        case Action::follow_end:
            switch_follow();
            return true;
        case Action::pause_recording:
            pause_recording();
            return true;
        case Action::stop_recording:
            stop_recording();
            return true;
        case Action::end_program:
            if (live_.recorder)
                live_.recorder->end_program();
            else
                notify("This window runs no program.", now_);
            return true;
        default:
            return false;
    }
}

// A panel's request refers to an older snapshot.
void App::bring_up_to_date(Requests& requests) const {
    if (!requests.slices_of || !timeline_.index || requests.slices_of == timeline_.index->trace)
        return;
    for (auto* slice : {&requests.select, &requests.zoom_to, &requests.what_if})
        if (*slice) {
            *slice = same_slice(*requests.slices_of, **slice, timeline_.trace());
            if (!**slice) slice->reset();
        }
    if (requests.show_lane)
        requests.show_lane = same_lane(*requests.slices_of, *requests.show_lane, timeline_.trace());
}

std::string App::recording_text() const {
    const FollowStatus& status = *live_.status;
    const char* state = status.control == kSpoolPaused    ? "Paused"
                        : status.control == kSpoolStopped ? "Stopping"
                        : status.recorder_gone            ? "The recorder is gone"
                                                          : "Recording";
    std::string text = state;
    if (status.shown > 0) {
        const auto tenths =
            static_cast<Nanos>(std::llround(static_cast<double>(status.shown) / 1e8));
        text += " · " + format_duration(tenths * 100'000'000);
    }
    if (status.ring > 0) text += " (the last " + format_duration(status.ring) + " are kept)";
    text += " · " + format_bytes(static_cast<int64_t>(status.file_bytes)) + " file";
    if (status.dropped > 0)
        text += " · " + format_count(static_cast<int64_t>(status.dropped)) + " dropped";
    text += " · " + format_bytes(static_cast<int64_t>(status.memory_bytes)) + " of " +
            format_bytes(static_cast<int64_t>(status.memory_cap)) + " memory";
    if (status.memory_full) text += ": the first is in the file only";
    return text;
}

// At the bottom of the timeline, in a window of its own, which keeps the pointer from what is
// below: the state of the recording, and its controls.
void App::draw_recording(ImVec2 min, ImVec2 max) {
    const bool waits = !live_.status;
    const float height = look_.px(kCardHeight);
    const float width = std::min(look_.px(kCardWidth), max.x - min.x - look_.px(32));
    const ImVec2 at{std::round((min.x + max.x - width) / 2), max.y - height - look_.px(14)};
    ImGui::SetNextWindowPos(at);
    ImGui::SetNextWindowSize({width, height});
    ImGui::PushStyleColor(ImGuiCol_WindowBg, look_.colors.raised);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
    ImGui::Begin("##recording", nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                     ImGuiWindowFlags_NoDocking | ImGuiWindowFlags_NoSavedSettings |
                     ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoNav);
    const float right = draw_recording_buttons({at.x + width, at.y});
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const bool paused = !waits && live_.status->control != kSpoolRecording;
    const float middle = at.y + height / 2;
    const float left = at.x + look_.px(14);
    if (paused)
        for (const float x : {0.0f, 6.0f})
            list.AddRectFilled({left + look_.px(x), middle - look_.px(5)},
                               {left + look_.px(x + 3), middle + look_.px(5)},
                               look_.colors.waiting);
    else
        list.AddCircleFilled({left + look_.px(5), middle}, look_.px(5), look_.colors.costs);
    const std::string text = waits ? "Waiting for the program to begin" : recording_text();
    draw_text_cut(list, look_, look_.fonts.regular, type::kTable,
                  {left + look_.px(20), text_y(look_, type::kTable, at.y, height)}, look_.colors.hi,
                  text, right - left - look_.px(28));
    ImGui::End();
    ImGui::PopStyleVar(2);
    ImGui::PopStyleColor();
}

// From the right edge; returns the left edge of the last one.
float App::draw_recording_buttons(ImVec2 corner) {
    float right = corner.x - look_.px(8);
    live_.places.clear();
    const auto button = [&](const char* text, Action action, bool lit) {
        const float w = ImGui::CalcTextSize(text).x + 2 * ImGui::GetStyle().FramePadding.x;
        right -= w;
        ImGui::SetCursorScreenPos({right, corner.y + look_.px(7)});
        ImGui::PushStyleColor(
            ImGuiCol_Button,
            lit ? mixed(look_.colors.raised, look_.colors.accent, 0.3f) : look_.colors.panel);
        if (ImGui::Button(text, {w, look_.px(26)})) requests_.act(action);
        ImGui::PopStyleColor();
        ImGui::SetItemTooltip("%s  %s", command_of(action).title, keys_of(keys_, action).c_str());
        live_.places.emplace_back(text, ImVec2{right + w / 2, corner.y + look_.px(20)});
        right -= look_.px(6);
    };
    if (!live_.status) {
        button("Cancel", Action::cancel_load, false);
        return right;
    }
    const bool paused = live_.status->control == kSpoolPaused;
    if (live_.recorder) button("End program", Action::end_program, false);
    button("Stop", Action::stop_recording, false);
    button(paused ? "Resume" : "Pause", Action::pause_recording, paused);
    button("Follow", Action::follow_end, live_.follows);
    return right;
}

}  // namespace lanescope
