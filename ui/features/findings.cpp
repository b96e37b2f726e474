#include "ui/features/findings.h"

#include "ui/commands/panel_names.h"

namespace lanescope {

std::span<const Action> FindingsFeature::actions() const {
    static constexpr Action kActions[] = {Action::next_place, Action::next_finding,
                                          Action::thresholds};
    return kActions;
}

void FindingsFeature::act(Action action, Frame& frame) {
    if (!frame.trace) return;
    const ShownFindings* const shown = findings_.shown();
    if (!shown) {
        frame.notify("Findings are known once the trace is loaded.");
        return;
    }
    if (action == Action::thresholds) {
        findings_.thresholds_wanted = true;
        frame.show_panel(kFindingsPanel);
        return;
    }
    if (shown->texts.empty()) {
        frame.notify(shown->conclusion.empty() ? "Nothing was found." : shown->conclusion.front());
        return;
    }
    if (action == Action::next_place)
        findings_.next_place(frame.requests);
    else
        findings_.next_finding(frame.requests);
    frame.pacing.wake();
}

}  // namespace lanescope
