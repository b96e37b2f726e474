#include "ui/app/state_colors.h"

#include <nlohmann/json.hpp>

namespace lanescope {

void add_colors(nlohmann::json& state, const StateFacts& facts) {
    using nlohmann::json;
    const Timeline& timeline = *facts.timeline;
    const SliceClasses& classes = *timeline.index->classes;
    const ClassFilter& filter = timeline.classes;
    json chosen = json::array();
    json all = json::object();
    for (std::size_t slot = 0; slot < classes.classes.size(); ++slot) {
        const SliceClass& one = classes.classes[slot];
        if (filter.chosen[slot]) chosen.push_back(one.name);
        if (one.count > 0) all[one.name] = all.value(one.name, uint64_t{0}) + one.count;
    }
    json lines = json::object();
    for (const Legend::Line& line : facts.legend->lines())
        lines[line.name] = {line.middle.x, line.middle.y};
    const ImVec2 hidden = facts.legend->mode_place();
    state["colors"] = {{"mode", color_mode_word(classes.mode)},
                       {"counted", classes.counted},
                       {"classes", all},
                       {"chosen", chosen},
                       {"hides", filter.hides},
                       {"lit", nullptr},
                       {"legend", lines},
                       {"hidden_place", {hidden.x, hidden.y}},
                       {"field", {facts.color_place.x, facts.color_place.y}}};
    if (filter.on() && filter.ready(timeline.index))
        state["colors"]["lit"] = filter.lit->matches.count;
}

}  // namespace lanescope
