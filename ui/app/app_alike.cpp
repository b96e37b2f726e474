// All slices like the selected one, and bringing the panel to the front that describes what the
// user selected.
#include <imgui_internal.h>

#include "core/base/format.h"
#include "core/view/short_name.h"
#include "ui/app/app.h"
#include "ui/commands/panel_names.h"

namespace lanescope {

void App::find_all_alike() {
    if (!timeline_.index || finding_alike_) return;
    if (!timeline_.selected) {
        notify("Select a slice first: then all like it are marked.", now_);
        return;
    }
    finding_alike_ = true;
    // A marked range limits the search, if the slice itself is in the range.
    const Nanos start = timeline_.trace().start(timeline_.selected);
    std::optional<TimeRange> range;
    if (timeline_.marked && timeline_.marked->time.contains(start)) range = timeline_.marked->time;
    worker_.post([this, trace = timeline_.index->trace, range, slice = timeline_.selected] {
        auto alike = std::make_shared<const Alike>(find_alike(*trace, {range}, slice));
        return [this, trace, slice, alike = std::move(alike)] {
            finding_alike_ = false;
            pacing_.wake();
            if (!timeline_.index || timeline_.index->trace != trace) return;
            timeline_.alike = alike;
            notify(format_count(static_cast<int64_t>(alike->slices.size())) + " × " +
                       brief_name(short_name(*trace, slice)) + ", together " +
                       format_duration(alike->total) + ".  . and , step through",
                   now_);
        };
    });
}

// Selection and Range share a place by default; only then does one cover the other.
void App::tell(Tell what) {
    if (what == Tell::nothing) return;
    const std::string_view wanted = what == Tell::range ? kRangePanel : kSelectionPanel;
    const std::string_view other = what == Tell::range ? kSelectionPanel : kRangePanel;
    const ImGuiWindow* const front = ImGui::FindWindowByName(other.data());
    const ImGuiWindow* const behind = ImGui::FindWindowByName(wanted.data());
    if (front && behind && front->DockNode && front->DockNode == behind->DockNode &&
        front->DockTabIsVisible)
        panel_wanted_ = wanted;
}

}  // namespace lanescope
