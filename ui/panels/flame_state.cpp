// The panel "Flame graph" as JSON.
#include <nlohmann/json.hpp>

#include "ui/panels/flame_panel.h"

namespace lanescope {

namespace {

nlohmann::json view_state(const Trace& trace, const FlameTree& tree, const FlameView& view) {
    using nlohmann::json;
    const auto name_of = [&](uint32_t node) {
        const bool some = node != kNoRow && node != 0 && node < tree.nodes.size();
        return some ? json(frame_text(trace, tree.frames[tree.nodes[node].frame])) : json(nullptr);
    };
    json boxes = json::array();
    for (const FlameView::Drawn& box : view.drawn()) {
        if (box.node >= tree.nodes.size()) continue;
        boxes.push_back({{"name", name_of(box.node)},
                         {"box", {box.x0, box.y0, box.x1, box.y1}},
                         {"total", tree.nodes[box.node].total},
                         {"count", box.count},
                         {"around", box.around},
                         {"bright", box.bright}});
    }
    return {{"boxes", boxes},
            {"zoomed", name_of(view.zoomed())},
            {"hover", name_of(view.hovered())},
            {"cursor", name_of(view.cursor())}};
}

}  // namespace

void FlamePanel::describe(const Frame& frame, nlohmann::json& state) const {
    using nlohmann::json;
    if (!frame.timeline.index) return;
    constexpr std::array kModes = {"left-heavy", "time order", "sandwich"};
    json buttons = json::object();
    for (const Place& button : buttons_) buttons[button.name] = {button.middle.x, button.middle.y};
    json flame = {{"ready", ready()},
                  {"source", flame_source_word(wanted_.query.source)},
                  {"order", kModes[static_cast<std::size_t>(mode_)]},
                  {"search", search_.data()},
                  {"buttons", buttons},
                  {"total", nullptr},
                  {"matches", nullptr}};
    if (tree_ && made_.context) {
        const Trace& trace = made_.context->trace();
        flame["total"] = tree_->root().total;
        if (mode_ != FlameMode::sandwich) flame.update(view_state(trace, *tree_, view_));
        if (matches_are_shown())
            flame["matches"] = {{"nodes", matches_->nodes}, {"weight", matches_->weight}};
        if (mode_ == FlameMode::sandwich && sandwich_in_ == tree_) {
            flame["callers"] = view_state(trace, *sandwich_.callers, callers_);
            flame["callees"] = view_state(trace, *sandwich_.callees, callees_);
            json rows = json::array();
            for (const NameRow& row : name_rows_)
                rows.push_back({{"name", row.name}, {"middle", {row.middle.x, row.middle.y}}});
            flame["names"] = rows;
            flame["chosen"] = frame_text(trace, *sandwich_of_);
        }
    }
    state["flame"] = std::move(flame);
}

}  // namespace lanescope
