// The dialog for capturing running PyTorch processes: which can be captured, what to record, and
// the state of each.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/capture/kineto/attacher.h"
#include "ui/look/theme.h"

namespace lanescope {

struct AttachAnswer {
    struct Capture {
        std::vector<int32_t> pids;
        CaptureOptions options;
        std::string file;
    };
    std::optional<Capture> capture;
    bool cancel = false;
    bool copy_command = false;
};

// Displayed for copying.
inline constexpr const char* kAttachCommand = "KINETO_USE_DAEMON=1 python train.py";

class AttachDialog {
  public:
    // Opens in the next frame; `folder`: where traces go unless the user types another.
    void show(const std::string& folder);
    void close() { close_ = true; }
    bool shown() const { return shown_ || wanted_; }
    AttachAnswer draw(const AttachView& view, const Look& look);

    // For tests: positions and requests.
    const std::vector<std::pair<std::string, ImVec2>>& places() const { return places_; }
    bool is_chosen(int32_t pid) const { return !left_out_.contains(pid); }
    const CaptureOptions& options() const { return options_; }
    const std::string& length() const { return length_; }

  private:
    void take_keys(const AttachView& view);
    void draw_processes(const AttachView& view, const Look& look);
    void draw_row(const AttachRow& row, bool current, float width, const Look& look);
    void draw_nobody(const AttachView& view, const Look& look);
    void draw_options(const AttachView& view, const Look& look);
    void draw_problems(const AttachView& view, const Look& look) const;
    void draw_buttons(const AttachView& view, const Look& look);
    void ask(const AttachView& view);
    void toggle(int32_t pid);
    bool word(const Look& look, const char* text, bool chosen);
    void note_place(const std::string& name);
    std::vector<int32_t> chosen(const AttachView& view) const;

    bool wanted_ = false;
    bool shown_ = false;
    bool close_ = false;
    bool focus_length_ = false;
    std::set<int32_t> left_out_;  // of those that are listed
    std::size_t current_ = 0;     // the row under the arrow keys
    CaptureOptions options_;
    bool by_iterations_ = false;
    std::string length_ = "500 ms";
    std::string iterations_ = "3";
    std::string file_;
    std::string wrong_;  // with what was typed
    AttachAnswer answer_;
    std::vector<std::pair<std::string, ImVec2>> places_;
};

}  // namespace lanescope
