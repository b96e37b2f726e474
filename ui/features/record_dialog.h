// The dialog for recording a program: its command line, folder and duration.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/capture/recorder.h"
#include "ui/look/theme.h"

namespace lanescope {

class RecordDialog {
  public:
    enum class Also { nothing, samples, torch_profiler };

    // Opens in the next frame; `folder`: where the program runs unless the user types another.
    // Switches `also` on, and leaves on what the user has switched on before.
    void show(const std::string& folder, Also also);
    // Stays open, or opens again, with an error message.
    void show_problem(std::string problem);
    void close() { close_ = true; }
    bool shown() const { return shown_ || wanted_; }
    // Returns what to record, once requested.
    std::optional<RecorderStart> draw(const Look& look);

    // For tests: typed text, error and positions.
    const std::string& command() const { return command_; }
    const std::string& file() const { return file_; }
    const std::string& ring() const { return ring_; }
    bool samples() const { return samples_; }
    bool torch_profiler() const { return torch_profiler_; }
    const std::string& hint() const { return hint_; }
    const std::string& problem() const { return problem_; }
    // The field with keyboard focus; empty: none.
    const std::string& field() const { return field_; }
    const std::vector<std::pair<std::string, ImVec2>>& places() const { return places_; }

  private:
    std::optional<RecorderStart> draw_fields(const Look& look);
    void draw_choices(const Look& look);
    void draw_switch(const char* title, const char* name, ImGuiKey key, bool& value,
                     const Look& look);
    void draw_explanation(const Look& look);
    void draw_text(const Look& look, const char* name, const char* hint, std::string& value);
    std::optional<RecorderStart> asked();
    std::optional<Nanos> length_of(const std::string& text, const char* what);
    void note_place(const char* name);

    bool wanted_ = false;
    bool shown_ = false;
    bool close_ = false;
    bool focus_ = false;  // focus the command again
    // The user typed the file's name, so it is no longer derived from the program.
    bool file_typed_ = false;
    std::string command_;
    std::string folder_;
    std::string file_;
    std::string duration_;
    std::string ring_;
    bool samples_ = false;
    bool torch_profiler_ = false;
    std::string hint_;  // advises what to switch on for this command; empty: no advice
    std::string problem_;
    std::string field_;
    std::vector<std::pair<std::string, ImVec2>> places_;
};

}  // namespace lanescope
