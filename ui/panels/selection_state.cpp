// The facts on the selected slice as JSON.
#include <nlohmann/json.hpp>

#include "core/analysis/work/footprints.h"
#include "ui/panels/selection.h"

namespace lanescope {

using nlohmann::json;

namespace {

json footprint_state(const KernelFootprint& footprint) {
    json state = {{"registers", footprint.config.registers_per_thread},
                  {"shared_bytes", footprint.config.shared_memory_bytes},
                  {"unknown", footprint.unknown}};
    if (!footprint.occupancy) return state;
    state["blocks"] = footprint.occupancy->blocks;
    state["occupancy"] = footprint.occupancy->theoretical;
    state["limiter"] = limiter_text(*footprint.occupancy);
    state["at_most"] = footprint.occupancy->at_most;
    state["sms"] = footprint.device->sms;
    return state;
}

}  // namespace

json state_of(const DescribedSlice& described, const Trace& trace) {
    const SliceFacts& facts = *described.facts;
    const auto& read = described.arguments.read;
    const std::vector<Argument>* const arguments = read && *read ? &**read : nullptr;
    json selection = {{"name", facts.name},         {"kind", event_class_name(facts.event_class)},
                      {"lane", facts.lane},         {"start", facts.start},
                      {"duration", facts.duration}, {"self", facts.self},
                      {"depth", facts.depth},       {"step", facts.step}};
    selection["explanation"] = facts.explanation ? json(facts.explanation->text) : json();
    selection["origin"] = json::array();
    for (const SliceRef parent : facts.origin) selection["origin"].push_back(trace.name(parent));
    selection["launches"] = json::array();
    for (const LaunchPeer& peer : facts.launches)
        selection["launches"].push_back(trace.name(peer.slice));
    selection["footprint"] = facts.footprint ? footprint_state(*facts.footprint) : json();
    selection["arguments"] = nullptr;
    if (arguments) {
        selection["arguments"] = json::object();
        for (const Argument& argument : *arguments)
            selection["arguments"][argument.name] = argument.value;
    }
    return selection;
}

}  // namespace lanescope
