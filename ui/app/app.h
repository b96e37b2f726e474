// App: the window's contents. Owns the features and panels, and builds frames from them; knows
// neither GLFW nor the destination of the picture.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ui/app/features.h"
#include "ui/app/panels.h"
#include "ui/app/state_writer.h"
#include "ui/app/window_files.h"
#include "ui/commands/late_modifiers.h"
#include "ui/frame/frame.h"
#include "ui/frame/frame_cost.h"

namespace lanescope {

class App {
  public:
    // Needs a Dear ImGui context. Calls `wake`, which must be thread-safe, when a frame should be
    // drawn.
    App(AppOptions options, std::function<void()> wake);
    ~App();
    App(const App&) = delete;
    App& operator=(const App&) = delete;

    // Opens words of the command line: addresses of other machines among them are admitted.
    void open_typed(const std::vector<std::string>& words, const Alignment& alignment);
    // Several files are shown below each other.
    void open(const std::vector<std::string>& paths, const Alignment& alignment) {
        files_.open(paths, alignment);
    }
    // Another program of the user gave these local files to the window, which asks what to do.
    void take_offer(const std::vector<std::string>& paths) {
        features_.traces.take_offer(paths, frame_);
    }
    // Opens and follows a growing recording. `wait`: first wait until it exists.
    void open_recording(const std::string& path, bool wait) { files_.open_recording(path, wait); }
    // Stops loading; what was read stays.
    void cancel_loading() {
        if (frame_.trace) frame_.trace->document().cancel();
    }
    // Screen pixels per design pixel, without the user's own scale.
    void set_content_scale(float scale) { features_.appearance.set_content_scale(scale, frame_); }
    // Brings a panel to the front of its tabs; false if there is none of that name.
    bool show_panel(std::string_view name) { return frame_.show_panel(name); }

    // Before ImGui::NewFrame: adds fonts found since the last frame, and keeps modifiers with their
    // keys.
    void begin_frame();
    // Builds a frame, between ImGui::NewFrame and ImGui::Render. Times in seconds.
    void frame(double now, double since_last);
    // Clears the framebuffer behind the frame; between ImGui::Render and drawing.
    void clear_background() const;

    FramePacing& pacing() { return frame_.pacing; }
    Timeline& timeline() { return frame_.timeline; }
    // The loaded files; empty: none is loaded.
    std::vector<TracePtr> parts() const;
    Settings& settings() { return frame_.settings; }
    Jobs& jobs() { return frame_.jobs; }
    std::string title() const;
    // Loaded (or failed), drawn, and nothing left to do.
    bool settled() const;
    // Why the file could not be opened, or why something else requested for several files failed.
    std::optional<Error> first_problem() const { return files_.first_problem(); }
    // The request for a picture of the window since the last call.
    std::optional<PictureRequest> take_picture_request() {
        return features_.picture.take_request();
    }
    // While true, frames are drawn for a picture: without messages.
    void set_picture_taken(bool taken) { frame_.picture_taken = taken; }
    void notify(std::string message, double now);
    void save_settings_now();
    // Frees objects of the OpenGL context.
    void close_graphics() { frame_.canvas.close(); }

  private:
    void draw();
    void keep_settings();

    Frame frame_;
    Panels panels_;
    Features features_;
    WindowFiles files_;
    LateModifiers late_modifiers_;
    PressedKeys pressed_keys_;
    FrameCost cost_;
    StateWriter state_writer_;
    double unsaved_since_ = 0;             // 0: the settings are saved
    std::optional<bool> screen_has_keys_;  // of an error or the start; none: no screen
};

}  // namespace lanescope
