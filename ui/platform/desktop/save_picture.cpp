// The window's picture without a window: the same frame, drawn on a framebuffer.
#include <fmt/format.h>
#include <imgui.h>
#include <imgui_impl_opengl3.h>

#include <chrono>
#include <cmath>
#include <condition_variable>
#include <ctime>
#include <mutex>
#include <sstream>

#include "core/analysis/structure/time_range.h"
#include "core/trace/incomplete.h"
#include "core/view/named_slice.h"
#include "ui/app/run_window.h"
#include "ui/commands/panel_names.h"
#include "ui/look/gl.h"
#include "ui/look/graphics_library.h"
#include "ui/platform/framebuffer.h"
#include "ui/platform/offscreen.h"
#include "ui/platform/png.h"
#include "ui/timeline/flows_layer.h"
#include "ui/timeline/path_layer.h"
#include "ui/timeline/selection_layer.h"

namespace lanescope {

namespace {

using Clock = std::chrono::steady_clock;
constexpr double kFrameSeconds = 1.0 / 60;
constexpr int kSettlingFrames = 4;

Error no_panel(const std::string& name) {
    std::string text = "No panel is named " + name + ". There are ";
    for (const std::string_view panel : panel_names())
        text.append(panel).append(panel == panel_names().back() ? "." : ", ");
    return {ErrorCode::usage, Error::no_offset, std::move(text)};
}

// Lets the drawing thread sleep until a background task has a result.
struct Bell {
    std::mutex mutex;
    std::condition_variable rung;
    bool ringing = false;

    void ring() {
        {
            const std::scoped_lock lock(mutex);
            ringing = true;
        }
        rung.notify_one();
    }
    void wait() {
        std::unique_lock lock(mutex);
        rung.wait_for(lock, std::chrono::milliseconds(20), [this] { return ringing; });
        ringing = false;
    }
};

// A Dear ImGui context, an app and a framebuffer during its lifetime.
class Studio {
  public:
    Studio(std::unique_ptr<Offscreen> screen, const PictureOptions& picture, bool timeline_alone)
        : screen_(std::move(screen)) {
        ImGui::CreateContext();
        ImGuiIO& io = ImGui::GetIO();
        io.IniFilename = nullptr;
        io.ConfigFlags |= ImGuiConfigFlags_DockingEnable;
        io.DisplaySize = {static_cast<float>(picture.width), static_cast<float>(picture.height)};
        io.MousePos = {-FLT_MAX, -FLT_MAX};
        ImGui_ImplOpenGL3_Init("#version 330 core");
        AppOptions options;
        options.settings.theme =
            picture.theme == Theme::light ? ThemeChoice::light : ThemeChoice::dark;
        options.settings.scale = static_cast<double>(picture.scale);
        options.settings.motion = false;
        options.still = true;
        options.color = picture.color;
        options.evidence = picture.evidence;
        options.companions = picture.companions;
        options.timeline_alone = timeline_alone;
        app_ = std::make_unique<App>(std::move(options), [this] { bell_.ring(); });
    }
    Studio(const Studio&) = delete;
    Studio& operator=(const Studio&) = delete;
    ~Studio() {
        app_->close_graphics();
        app_.reset();
        ImGui_ImplOpenGL3_Shutdown();
        ImGui::DestroyContext();
    }

    App& app() { return *app_; }
    const Offscreen& screen() const { return *screen_; }

    void draw() {
        ImGui::GetIO().DeltaTime = static_cast<float>(kFrameSeconds);
        app_->begin_frame();
        ImGui_ImplOpenGL3_NewFrame();
        ImGui::NewFrame();
        now_ += kFrameSeconds;
        app_->frame(now_, kFrameSeconds);
        ImGui::Render();
        app_->clear_background();
        ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
    }
    // A panel that was brought to the front begins its work a frame or two later: everything must
    // still be settled after these frames.
    void settle() {
        do {
            while (!app_->settled()) {
                draw();
                if (!app_->settled() && !wants_frame()) bell_.wait();
            }
            rest();
        } while (!app_->settled());
    }
    bool wants_frame() { return app_->pacing().plan(now_).sleep == FramePacing::Sleep::none; }
    void rest() {
        for (int i = 0; i < kSettlingFrames; ++i) draw();
    }

  private:
    std::unique_ptr<Offscreen> screen_;
    Bell bell_;
    std::unique_ptr<App> app_;
    double now_ = 0;
};

Result<std::unique_ptr<Studio>> open_studio(const PictureOptions& picture,
                                            const std::vector<std::string>& files,
                                            bool timeline_alone = false) {
    auto screen = Offscreen::create(picture.width, picture.height);
    if (!screen) {
        const Error& error = screen.error();
        return error.code == ErrorCode::unsupported ? without_opengl("A PNG", error.text) : error;
    }
    auto studio = std::make_unique<Studio>(std::move(*screen), picture, timeline_alone);
    if (files.empty() && picture.any_state) {
        studio->rest();
        return studio;
    }
    studio->app().open_typed(files, picture.alignment);
    studio->settle();
    if (const auto error = studio->app().first_problem(); error && !picture.any_state)
        return *error;
    return studio;
}

// CPU time of this process (all threads), or of this thread.
double cpu_seconds(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

Result<void> save_picture(const PictureOptions& picture, const std::vector<std::string>& files) {
    OutputRules rules;
    rules.inputs = files;
    if (const Result<void> allowed = check_output(picture.out, rules); !allowed)
        return allowed.error();
    auto studio = open_studio(picture, files);
    if (!studio) return studio.error();
    Timeline& timeline = (*studio)->app().timeline();
    if (!timeline.index)
        return write_png(picture.out, picture.width, picture.height, (*studio)->screen().pixels(),
                         rules);
    const Trace& trace = timeline.trace();
    for (const TracePtr& part : (*studio)->app().parts())
        if (const auto incomplete = incomplete_of(*part))
            fmt::print(stderr, "{}: {}\n", part->path, incomplete_sentence(*incomplete));
    TimeRange range = trace.content;
    if (!picture.range.empty()) {
        const Result<TimeRange> parsed =
            parse_shown_range(TraceContext(timeline.index->trace), picture.range);
        if (!parsed) return parsed.error();
        range = *parsed;
        frame_range(timeline, range, 0);
    }
    if (!picture.lanes.empty()) {
        Result<LaneArrangement> only = only_lanes(trace, picture.lanes);
        if (!only) return only.error();
        arrange(timeline, [&](LaneArrangement& lanes) { lanes = std::move(*only); });
        (*studio)->draw();
    }
    if (!picture.select.empty()) {
        const SliceRef slice = first_slice_called(trace, picture.select, range);
        if (!slice)
            return Error{ErrorCode::usage, Error::no_offset,
                         "No slice has " + picture.select + " in its name."};
        select_slice(timeline, slice);
    }
    timeline.layer<FlowsLayer>().shown = picture.flows;
    timeline.layer<PathLayer>().shown = picture.critical_path;
    if (!picture.panel.empty() && !(*studio)->app().show_panel(panel_called(picture.panel)))
        return no_panel(picture.panel);
    (*studio)->draw();
    (*studio)->settle();
    timeline.layer<SelectionLayer>().flash = {};  // a picture shows a moment without motion
    (*studio)->draw();
    return write_png(picture.out, picture.width, picture.height, (*studio)->screen().pixels(),
                     rules);
}

Result<FrameTimes> time_frames(const PictureOptions& picture, const std::string& file, int frames,
                               bool timeline_alone) {
    auto studio = open_studio(picture, {file}, timeline_alone);
    if (!studio) return studio.error();
    FrameTimes times;
    std::stringstream renderer;
    renderer << gl().GetString(GL_RENDERER);
    times.renderer = renderer.str();
    Timeline& timeline = (*studio)->app().timeline();
    times.slices = timeline.trace().slice_count();
    const TimeRange all = timeline.camera.content();
    // From the whole trace to a thousandth of it and back, panning on the way: every frame differs.
    for (int i = 0; i < frames; ++i) {
        const double way = static_cast<double>(i) / frames;
        const double depth = 1 - std::abs(2 * way - 1);
        const auto span =
            static_cast<Nanos>(static_cast<double>(all.length()) * std::pow(10.0, -3 * depth));
        const auto begin =
            all.begin + static_cast<Nanos>(static_cast<double>(all.length() - span) * way);
        frame_range(timeline, {begin, begin + std::max<Nanos>(span, 100)}, 0);
        const auto began = Clock::now();
        const double cpu_began = cpu_seconds(CLOCK_PROCESS_CPUTIME_ID);
        const double thread_began = cpu_seconds(CLOCK_THREAD_CPUTIME_ID);
        (*studio)->draw();
        gl().Finish();
        times.cpu_seconds.push_back(cpu_seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu_began);
        times.thread_seconds.push_back(cpu_seconds(CLOCK_THREAD_CPUTIME_ID) - thread_began);
        times.seconds.push_back(std::chrono::duration<double>(Clock::now() - began).count());
    }
    return times;
}

Result<std::string> probe_picture() {
    constexpr int kSide = 64;
    const auto picture = Offscreen::create(kSide, kSide);
    if (!picture) return picture.error();
    return opengl_here();
}

}  // namespace lanescope
