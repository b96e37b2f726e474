#include "ui/app/app.h"

#include <imgui_internal.h>

#include <algorithm>
#include <utility>

#include "core/base/url.h"
#include "ui/app/bars.h"
#include "ui/app/carry_out.h"
#include "ui/app/key_input.h"
#include "ui/app/timeline_window.h"

namespace lanescope {

namespace {

constexpr double kSettingsSeconds = 1;

}  // namespace

App::App(AppOptions options, std::function<void()> wake)
    : frame_(std::move(options), Look{.fonts = load_fonts()}, std::move(wake)),
      features_(frame_, panels_),
      files_(frame_, features_.all, features_.workspace),
      state_writer_(frame_.options.state_path) {
    frame_.files = &files_;
    set_head_width(frame_.timeline, static_cast<float>(frame_.settings.lane_head_width));
    set_motion(frame_.timeline, frame_.settings.motion);
}

App::~App() = default;

void App::open_typed(const std::vector<std::string>& words, const Alignment& alignment) {
    for (const std::string& word : words) {
        if (!is_url(word)) continue;
        if (const Result<void> admitted = files_.admit_typed(word); !admitted)
            notify(admitted.error().text, frame_.now);
    }
    open(words, alignment);
}

std::string App::title() const {
    return files_.path().empty() ? "Lanescope" : files_.shown_name() + " – Lanescope";
}

std::vector<TracePtr> App::parts() const {
    const LoadedTrace* const loaded = frame_.loaded();
    return loaded ? loaded->parts : std::vector<TracePtr>();
}

bool App::settled() const {
    if (files_.error()) return frame_.jobs.idle(JobQueue::quick);
    const auto is_settled = [this](const Feature* feature) { return feature->settled(frame_); };
    return files_.settled() && std::ranges::all_of(features_.all, is_settled) &&
           !frame_.font_fallback.pending() && frame_.jobs.idle(JobQueue::quick) &&
           frame_.jobs.idle(JobQueue::analysis);
}

void App::notify(std::string message, double now) {
    frame_.notices.show(std::move(message), now);
    frame_.pacing.wake();
}

void App::save_settings_now() {
    Settings& settings = frame_.settings;
    Settings& saved_settings = frame_.options.settings;
    settings.lane_head_width = static_cast<double>(frame_.timeline.head_width);
    const std::string& path = frame_.options.settings_path;
    if (path.empty() || settings == saved_settings) return;
    if (const auto saved = save_settings(settings, path); saved) saved_settings = settings;
}

// One second after the last change, so that a crash does not lose settings.
void App::keep_settings() {
    if (std::exchange(frame_.save_settings, false)) save_settings_now();
    Settings& settings = frame_.settings;
    settings.lane_head_width = static_cast<double>(frame_.timeline.head_width);
    if (frame_.options.settings_path.empty() || settings == frame_.options.settings) {
        unsaved_since_ = 0;
    } else if (unsaved_since_ == 0) {
        unsaved_since_ = frame_.now;
    } else if (frame_.now - unsaved_since_ >= kSettingsSeconds) {
        save_settings_now();
        frame_.options.settings = settings;  // a failed save is not repeated in every frame
        unsaved_since_ = 0;
    }
    if (unsaved_since_ > 0) frame_.pacing.set_deadline(unsaved_since_ + kSettingsSeconds);
}

void App::begin_frame() {
    late_modifiers_.hold_back();
    if (frame_.font_fallback.take_in()) frame_.pacing.wake();
}

void App::frame(double now, double since_last) {
    frame_.now = now;
    frame_.since_last = since_last;
    late_modifiers_.release();
    cost_.begin();
    frame_.pacing.frame_begins(now);
    files_.poll();
    for (Feature* const feature : features_.all) feature->begin(frame_);
    if (std::exchange(frame_.forget_results, false)) features_.workspace.forget();
    frame_.canvas.begin_frame();
    frame_.requests = {};
    frame_.dialog_shown = features_.all.dialog_shown();
    take_keys(pressed_keys_.take(), features_, frame_);
    draw();
    carry_out_requests(features_, frame_);
    for (Feature* const feature : features_.all) feature->follow(frame_);
    if (auto job = frame_.font_fallback.job())
        frame_.jobs.run(std::move(job), [](const std::function<void()>& take) {
            if (take) take();
        });
    // Dear ImGui handles one of several quick key presses per frame, and keeps the rest.
    if (ImGui::GetCurrentContext()->InputEventsQueue.Size > 0) frame_.pacing.wake();
    frame_.pacing.set_moving(frame_.timeline_view.moving());
    if (frame_.notices.until() > now) frame_.pacing.set_deadline(frame_.notices.until());
    keep_settings();
    cost_.end();
    state_writer_.write(frame_, features_.all, files_, cost_);
}

void App::draw() {
    if (frame_.options.timeline_alone) {
        ImGui::SetNextWindowPos({0, 0});
        ImGui::SetNextWindowSize(ImGui::GetMainViewport()->Size);
        draw_timeline_window(features_, screen_has_keys_, frame_);
        features_.workspace.draw_none();
        return;
    }
    draw_bars(features_, files_, frame_);
    draw_timeline_window(features_, screen_has_keys_, frame_);
    features_.workspace.draw_panels(frame_);
    // A picture shows the trace, not the last message.
    if (!frame_.options.still && !frame_.picture_taken)
        frame_.notices.draw(frame_.now, frame_.look);
    for (Feature* const feature : features_.all) feature->draw_over(frame_);
    leave_what_is_gone();
}

void App::clear_background() const {
    const ImGuiIO& io = ImGui::GetIO();
    frame_.canvas.clear(frame_.look.colors.bg, io.DisplaySize, io.DisplayFramebufferScale);
}

}  // namespace lanescope
