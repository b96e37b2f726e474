// The panel "Roofline" as JSON.
#include <nlohmann/json.hpp>

#include "ui/panels/roofline_panel.h"

namespace lanescope {

void RooflinePanel::describe(const Frame& frame, nlohmann::json& state) const {
    using nlohmann::json;
    if (!frame.timeline.index) return;
    json dots = json::array();
    for (const Dot& dot : dots_)
        dots.push_back(
            {{"name", dot.name}, {"x", dot.middle.x}, {"y", dot.middle.y}, {"radius", dot.radius}});
    json buttons = json::object();
    for (const Button& button : buttons_) buttons[button.name] = {button.middle.x, button.middle.y};
    state["roofline"] = {{"ready", ready()},
                         {"dots", dots},
                         {"roofs", roofs_},
                         {"buttons", buttons},
                         {"tooltip", hovered_},
                         {"intensity", {frame_.intensity_min, frame_.intensity_max}},
                         {"rate", {frame_.rate_min, frame_.rate_max}}};
}

}  // namespace lanescope
