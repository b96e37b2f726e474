#include "examples/extend/panel/pin_panel.h"

#include <string>

namespace lanescope {

void PinPanel::draw(Frame& frame) {
    const PinnedSlice* const pinned =
        frame.trace ? frame.trace->state.find<PinnedSlice>() : nullptr;
    if (!pinned || !pinned->slice || !frame.timeline.index) {
        ImGui::TextDisabled("Nothing is pinned.");
        return;
    }
    ImGui::TextUnformatted(std::string(frame.timeline.trace().name(pinned->slice)).c_str());
    if (ImGui::Button("Go to it")) frame.requests.add(SelectSlice{pinned->slice});
}

}  // namespace lanescope
