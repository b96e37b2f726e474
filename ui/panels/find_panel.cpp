#include "ui/panels/find_panel.h"

#include "ui/timeline/found_layer.h"

namespace lanescope {

void FindPanel::draw(Frame& frame) {
    shows_ = frame.timeline.layer<FoundLayer>().found != nullptr;
    if (frame.live()) {
        ImGui::TextDisabled("Matches of a search are marked, and listed once the recording ends.");
        return;
    }
    if (!shows_) {
        ImGui::TextDisabled("The matches of a search are listed here.");
        return;
    }
    // Matches of all parts are listed.
    PanelInputs inputs = timeline_inputs(frame);
    inputs.selected = frame.timeline.selected;
    if (frame.loaded()) inputs.context = frame.loaded()->contexts.front();
    draw_contents(inputs, frame.look, frame.requests);
}

}  // namespace lanescope
