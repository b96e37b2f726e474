#include "ui/features/attach.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

namespace lanescope {

std::span<const Action> AttachFeature::actions() const {
    static constexpr Action kActions[] = {Action::attach};
    return kActions;
}

void AttachFeature::act(Action /*action*/, Frame& frame) {
    std::error_code code;
    const std::filesystem::path here = std::filesystem::current_path(code);
    dialog_.show(code ? std::string() : here.string());
    if (!attacher_) attacher_ = std::make_unique<Attacher>(frame.options.attach, frame.wake);
}

void AttachFeature::draw_over(Frame& frame) {
    if (!attacher_) return;
    const std::shared_ptr<const AttachView> view = attacher_->view();
    const AttachAnswer answer = dialog_.draw(*view, frame.look);
    if (answer.capture)
        attacher_->capture(answer.capture->pids, answer.capture->options, answer.capture->file);
    if (answer.cancel) attacher_->cancel();
    if (answer.copy_command) {
        ImGui::SetClipboardText(kAttachCommand);
        frame.notify("Copied: " + std::string(kAttachCommand));
    }
    take_captures(*view, frame);
    // Releases the socket for others when it is not needed here. The thread may be busy for a
    // moment.
    if (dialog_.shown() || view->under_way || answer.capture) return;
    frame.jobs.destroy(std::shared_ptr<Attacher>(std::move(attacher_)));
}

// Opens what was captured; several traces at their recorded times.
void AttachFeature::take_captures(const AttachView& view, Frame& frame) {
    if (view.ended == seen_) return;
    seen_ = view.ended;
    std::vector<std::string> files;
    const CaptureOutcome* failed = nullptr;
    for (const CaptureOutcome& outcome : view.outcomes) {
        if (!outcome.file.empty())
            files.push_back(outcome.file);
        else if (!failed && outcome.state != kUnused)
            failed = &outcome;
    }
    if (failed && (!files.empty() || !dialog_.shown()))
        frame.notify("Process " + std::to_string(failed->pid) +
                     " was not captured: " + failed->problem);
    if (files.empty()) return;
    dialog_.close();
    Alignment alignment;
    if (files.size() > 1) alignment = {AlignBy::clock, 0, {}};
    frame.files->open(files, alignment);
}

void AttachFeature::describe(const Frame& /*frame*/, nlohmann::json& state) const {
    using nlohmann::json;
    if (!attacher_) return;
    const AttachDialog& dialog = dialog_;
    const std::shared_ptr<const AttachView> shown = attacher_->view();
    const AttachView& view = *shown;
    constexpr const char* ways[] = {"opening", "daemon", "dynolog", "none"};  // by Way
    json rows = json::array();
    for (const AttachRow& row : view.rows)
        rows.push_back({{"pid", row.pid},
                        {"user", row.user},
                        {"rank", row.rank},
                        {"command", row.command},
                        {"state", name_of(row.state)},
                        {"chosen", dialog.is_chosen(row.pid)}});
    json outcomes = json::array();
    for (const CaptureOutcome& outcome : view.outcomes)
        outcomes.push_back(
            {{"pid", outcome.pid}, {"file", outcome.file}, {"problem", outcome.problem}});
    json places = json::object();
    for (const auto& [name, place] : dialog.places()) places[name] = {place.x, place.y};
    const CaptureOptions& options = dialog.options();
    state["attach"] = {{"shown", dialog.shown()},
                       {"way", ways[static_cast<std::size_t>(view.way)]},
                       {"problem", view.problem},
                       {"refusal", view.refusal},
                       {"nobody_asked", view.nobody_asked},
                       {"under_way", view.under_way},
                       {"ended", view.ended},
                       {"cancelled", view.cancelled},
                       {"rows", rows},
                       {"outcomes", outcomes},
                       {"places", places},
                       {"with",
                        {{"shapes", options.shapes},
                         {"stack", options.stack},
                         {"memory", options.memory},
                         {"flops", options.flops},
                         {"modules", options.modules}}}};
}

}  // namespace lanescope
