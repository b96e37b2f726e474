// Attaching to running PyTorch processes: the dialog, the daemon behind it, and the captures.
#include <filesystem>
#include <system_error>

#include "ui/app/app.h"

namespace lanescope {

void App::show_attach() {
    std::error_code code;
    const std::filesystem::path here = std::filesystem::current_path(code);
    attach_dialog_.show(code ? std::string() : here.string());
    if (attacher_) return;
    attach_seen_ = 0;
    attacher_ = std::make_unique<Attacher>(options_.attach, wake_);
}

void App::draw_attach() {
    if (!attacher_) return;
    const std::shared_ptr<const AttachView> view = attacher_->view();
    const AttachAnswer answer = attach_dialog_.draw(*view, look_);
    if (answer.capture)
        attacher_->capture(answer.capture->pids, answer.capture->options, answer.capture->file);
    if (answer.cancel) attacher_->cancel();
    if (answer.copy_command) {
        ImGui::SetClipboardText(kAttachCommand);
        notify("Copied: " + std::string(kAttachCommand), now_);
    }
    take_captures(*view);
    // Releases the socket for others when it is not needed here. The thread may be busy for a
    // moment.
    if (attach_dialog_.shown() || view->under_way || answer.capture) return;
    worker_.post([attacher = std::shared_ptr<Attacher>(std::move(attacher_))]() mutable {
        attacher.reset();
        return Worker::Finish();
    });
}

// Opens what was captured; several traces at their recorded times.
void App::take_captures(const AttachView& view) {
    if (view.ended == attach_seen_) return;
    attach_seen_ = view.ended;
    std::vector<std::string> files;
    const CaptureOutcome* failed = nullptr;
    for (const CaptureOutcome& outcome : view.outcomes) {
        if (!outcome.file.empty())
            files.push_back(outcome.file);
        else if (!failed)
            failed = &outcome;
    }
    if (failed && (!files.empty() || !attach_dialog_.shown()))
        notify("Process " + std::to_string(failed->pid) + " was not captured: " + failed->problem,
               now_);
    if (files.empty()) return;
    attach_dialog_.close();
    if (files.size() == 1)
        open(files.front());
    else
        open(files, {AlignBy::clock, 0, {}});
}

}  // namespace lanescope
