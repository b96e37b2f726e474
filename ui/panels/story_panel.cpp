#include "ui/panels/story_panel.h"

#include "ui/commands/panel_names.h"

namespace lanescope {

std::string_view StoryPanel::name() const {
    return kStoryPanel;
}

void StoryPanel::draw(Frame& frame) {
    if (story_.sentences().empty())
        ImGui::TextDisabled("%s", "The story is known once the trace is loaded.");
    else
        story_.draw(frame.look, frame.requests);
}

}  // namespace lanescope
