// How the captured call of a replayed kernel was found: the value of the fact `replay_link`.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "core/trace/launch_calls.h"

namespace lanescope {

// From the strongest evidence to none.
enum class ReplayLink : uint8_t {
    // By the id of its node. No supported format states the ids of captured nodes.
    graph_id,
    order,  // all names of the replay equal the names of the capture, in order
    name,   // most names are equal, and this kernel has a partner
    none,   // a replay launched the kernel, and no captured call is known
};
inline constexpr std::array kReplayLinks = {ReplayLink::graph_id, ReplayLink::order,
                                            ReplayLink::name, ReplayLink::none};

constexpr std::string_view replay_link_name(ReplayLink link) {
    constexpr std::array<std::string_view, 4> kNames = {"graph id", "order", "name", "none"};
    return kNames[static_cast<std::size_t>(link)];
}

inline bool launches_graph(std::string_view call) {
    return launched_work(call) == LaunchedWork::graph;
}

// Lane::name of lanes of kind `replay`.
inline constexpr std::string_view kReplayLaneName = "Graph replay";

}  // namespace lanescope
