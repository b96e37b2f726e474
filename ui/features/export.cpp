#include "ui/features/export.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

namespace lanescope {

std::span<const Action> ExportFeature::actions() const {
    static constexpr Action kActions[] = {Action::export_list};
    return kActions;
}

void ExportFeature::act(Action /*action*/, Frame& frame) {
    if (!frame.timeline.index) {
        frame.notify("There is nothing to export until a trace is open.");
        return;
    }
    constexpr Action kExports[] = {Action::screenshot,   Action::picture_at_once,
                                   Action::copy_picture, Action::save_table,
                                   Action::save_notes,   Action::save_notes_as};
    std::vector<Choice> choices;
    for (const Action action : kExports) {
        const auto command = std::ranges::find(commands(), action, &Command::action);
        choices.push_back({{command->title, command->group, keys_of(frame.keys, action)},
                           [&frame, action] { frame.requests.act(action); }});
    }
    frame.chooser.open("Export", std::move(choices));
}

void ExportFeature::follow(Frame& frame) {
    if (!frame.requests.save) return;
    dialog_.show(std::move(*frame.requests.save),
                 frame.trace ? frame.trace->paths() : std::vector<std::string>());
    frame.pacing.wake();
}

void ExportFeature::draw_over(Frame& frame) {
    std::optional<SaveRequest> request = dialog_.draw(frame.look);
    if (!request) return;
    frame.pacing.wake();
    if (request->part) {
        request->part->path = request->path;
        frame.requests.picture = std::move(request->part);
        return;
    }
    frame.jobs.run([save = std::move(request->save), path = request->path] { return save(path); },
                   [&frame, what = request->what, path = request->path](const Result<void>& saved) {
                       frame.notify(saved ? what + " saved as " + path : saved.error().text);
                   },
                   JobQueue::analysis);
}

void ExportFeature::describe(const Frame& /*frame*/, nlohmann::json& state) const {
    state["saving"] = nullptr;
    if (dialog_.shown()) state["saving"] = dialog_.path();
}

}  // namespace lanescope
