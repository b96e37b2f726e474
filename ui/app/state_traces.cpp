#include "ui/app/state_traces.h"

#include <nlohmann/json.hpp>

#include "core/trace/join.h"

namespace lanescope {

using nlohmann::json;

void add_traces(json& state, const TracesShown& shown, const TracesPanel& panel,
                const SliceFacts* selection) {
    json parts = json::array();
    for (const TracePtr& part : shown.parts)
        parts.push_back(
            {{"name", part->only_part == kNoRow ? "" : part->parts[part->only_part].name},
             {"path", part->path},
             {"events", part->facts.events},
             {"offset", shift_of(*part)},
             {"begin", file_span(*part).begin - part->origin},
             {"first_lane",
              part->only_part == kNoRow ? 0 : part->parts[part->only_part].first_lane},
             {"lanes", part->only_part == kNoRow ? part->lanes.size()
                                                 : part->parts[part->only_part].lane_count}});
    json problems = json::array();
    for (const PartProblem& problem : shown.problems)
        problems.push_back({{"path", problem.path}, {"text", problem.error.text}});
    json places = json::object();
    for (const TracesPanel::Place& place : panel.places())
        places[place.what] = {place.middle.x, place.middle.y};
    json ranks = json::array();
    if (selection)
        for (const RankPeer& peer : selection->ranks)
            ranks.push_back({{"rank", peer.rank}, {"late", peer.late}, {"lane", peer.slice.lane}});
    constexpr const char* by[] = {"best", "start", "clock", "step", "event", "hand"};
    state["traces"] = {{"parts", parts},
                       {"shown_part", shown.shown_part},
                       {"aligned_by", by[static_cast<std::size_t>(shown.aligned_by)]},
                       {"busy", shown.busy},
                       {"problems", problems},
                       {"places", places},
                       {"ranks", ranks}};
}

void add_side_by_side(json& state, const SideBySidePanel& panel) {
    const auto places_of = [](const std::vector<SideBySidePanel::Place>& all) {
        json places = json::array();
        for (const SideBySidePanel::Place& place : all)
            places.push_back({{"name", place.name}, {"x", place.middle.x}, {"y", place.middle.y}});
        return places;
    };
    state["side_by_side"] = {{"ready", panel.ready()},
                             {"rows", places_of(panel.rows())},
                             {"buttons", places_of(panel.buttons())},
                             {"tooltip", panel.tooltip()}};
}

}  // namespace lanescope
