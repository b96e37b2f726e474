#include "ui/app/state_models.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace lanescope {

namespace {

using nlohmann::json;

json model_of(const SliceModel& model) {
    json result = {{"why_not", no_model_reason(model.why)},
                   {"flop", nullptr},
                   {"bytes", nullptr},
                   {"floor_ns", nullptr},
                   {"bound", work_bound_name(model.bound)},
                   {"planned", model.planned},
                   {"uncertain", model.uncertain}};
    if (model.flop != kNoValue) result["flop"] = model.flop;
    if (model.bytes != kNoValue) result["bytes"] = model.bytes;
    if (!std::isnan(model.floor_ns)) result["floor_ns"] = model.floor_ns;
    return result;
}

json roofline_of(const RooflinePanel& panel) {
    json dots = json::array();
    for (const RooflinePanel::Dot& dot : panel.dots())
        dots.push_back(
            {{"name", dot.name}, {"x", dot.middle.x}, {"y", dot.middle.y}, {"radius", dot.radius}});
    json buttons = json::object();
    for (const RooflinePanel::Button& button : panel.buttons())
        buttons[button.name] = {button.middle.x, button.middle.y};
    const RooflineFrame& frame = panel.frame();
    return {{"ready", panel.ready()},
            {"dots", dots},
            {"roofs", panel.roofs()},
            {"buttons", buttons},
            {"tooltip", panel.tooltip()},
            {"intensity", {frame.intensity_min, frame.intensity_max}},
            {"rate", {frame.rate_min, frame.rate_max}}};
}

}  // namespace

void add_models(json& state, const StateFacts& facts) {
    state["model"] = facts.model ? model_of(*facts.model) : json();
    state["roofline"] = roofline_of(*facts.roofline);
    state["model_warnings"] = facts.model_warnings;
    const std::vector<float>& lost = facts.timeline->lost;
    state["lost"] = lost.empty()
                        ? json()
                        : json(std::ranges::count_if(lost, [](float part) { return part > 0; }));
}

}  // namespace lanescope
