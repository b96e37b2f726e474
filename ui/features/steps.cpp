#include "ui/features/steps.h"

#include <memory>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "core/overlays/step_lane.h"
#include "ui/timeline/steps_layer.h"

namespace lanescope {

namespace {

using Boxes = std::shared_ptr<const std::vector<StepBox>>;

// The steps of the first joined trace that has any, because steps of several ranks overlap.
Boxes find_boxes(const std::vector<std::shared_ptr<const TraceContext>>& contexts) {
    std::vector<StepBox> boxes;
    for (const auto& context : contexts) {
        boxes = step_lane(*context);
        if (!boxes.empty()) break;
    }
    return std::make_shared<const std::vector<StepBox>>(std::move(boxes));
}

}  // namespace

void StepsFeature::loaded(LoadedTrace& loaded, Frame& frame) {
    frame.jobs.ask(
        loaded.key("steps"), [contexts = loaded.contexts] { return find_boxes(contexts); },
        [&frame](Boxes boxes) {
            frame.timeline.layer<StepsLayer>().steps = std::move(boxes);
            frame.pacing.wake();
        },
        JobQueue::analysis);
}

void StepsFeature::describe(const Frame& frame, nlohmann::json& state) const {
    // The layer describes the steps of a trace.
    if (!frame.timeline.index) state["steps"] = nlohmann::json::array();
}

}  // namespace lanescope
