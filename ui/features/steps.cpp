#include "ui/features/steps.h"

#include <memory>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "core/view/step_lane.h"

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
            frame.timeline.steps = std::move(boxes);
            frame.pacing.wake();
        },
        JobQueue::analysis);
}

void StepsFeature::describe(const Frame& frame, nlohmann::json& state) const {
    using nlohmann::json;
    state["steps"] = json::array();
    const Timeline& timeline = frame.timeline;
    if (!timeline.index || !timeline.steps) return;
    const Nanos origin = timeline.trace().origin;
    for (const StepBox& step : *timeline.steps) {
        json box = {{"text", step.text},
                    {"begin", step.range.begin - origin},
                    {"end", step.range.end - origin},
                    {"device", nullptr}};
        if (step.device)
            box["device"] = {{"text", step.device_text},
                             {"begin", step.device->begin - origin},
                             {"end", step.device->end - origin}};
        state["steps"].push_back(std::move(box));
    }
}

}  // namespace lanescope
