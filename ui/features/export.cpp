#include "ui/features/export.h"

#include <algorithm>
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
    constexpr Action kExports[] = {Action::screenshot, Action::picture_at_once,
                                   Action::copy_picture, Action::save_table, Action::save_notes};
    std::vector<Choice> choices;
    for (const Action action : kExports) {
        const auto command = std::ranges::find(commands(), action, &Command::action);
        choices.push_back({{command->title, command->group, keys_of(frame.keys, action)},
                           [&frame, action] { frame.requests.act(action); }});
    }
    frame.chooser.open("Export", std::move(choices));
}

}  // namespace lanescope
