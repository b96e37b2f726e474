#include "examples/extend/panel/pin_feature.h"

#include <nlohmann/json.hpp>

#include "examples/extend/panel/pin_panel.h"

namespace lanescope {

std::span<const Action> PinFeature::actions() const {
    static constexpr Action kActions[] = {kPinSlice};
    return kActions;
}

void PinFeature::act(Action /*action*/, Frame& frame) {
    if (!frame.trace || !frame.timeline.selected) {
        frame.notify("Select a slice first.");
        return;
    }
    frame.trace->state.get<PinnedSlice>().slice = frame.timeline.selected;
    frame.show_panel(kPinPanel);
}

void PinFeature::describe(const Frame& frame, nlohmann::json& state) const {
    if (!frame.trace || !frame.timeline.index) return;
    const auto* const pinned = frame.trace->state.find<PinnedSlice>();
    state["pinned_slice"] = nullptr;
    if (pinned && pinned->slice) state["pinned_slice"] = frame.timeline.trace().name(pinned->slice);
}

}  // namespace lanescope
