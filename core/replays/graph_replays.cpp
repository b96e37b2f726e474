#include "core/replays/graph_replays.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/replays/captured_graphs.h"
#include "core/replays/replay_lanes.h"
#include "core/replays/replayed_kernels.h"

namespace lanescope {

namespace {

void add_links(Trace& trace, const ReplayedKernels& replayed) {
    if (replayed.kernels.empty()) return;
    Column<int64_t> links = Column<int64_t>::filled(trace.gpu_activities.rows(), kNoValue);
    for (const ReplayedKernel& kernel : replayed.kernels)
        links[kernel.row] = static_cast<int64_t>(kernel.link);
    trace.gpu_activities.replay_link = std::move(links);
}

void add_warnings(Trace& trace, std::span<const ReplayProblem> problems) {
    for (const ReplayProblem& problem : problems) {
        Warning& warning = trace.warnings.emplace_back();
        warning.code = "graph_replay_differs";
        warning.count = problem.replays;
        warning.text = "a graph replay and its capture: " + problem.text;
    }
}

}  // namespace

bool replays_graphs(const Trace& trace) {
    std::vector<uint8_t> known(trace.strings.size(), 2);
    return std::ranges::any_of(trace.runtime_calls.slice, [&](SliceRef call) {
        uint8_t& launches = known[trace.name_id(call)];
        if (launches == 2) launches = launches_graph(trace.name(call)) ? 1 : 0;
        return launches == 1;
    });
}

void add_graph_replays(Trace& trace, std::span<const TracePtr> captures,
                       std::span<const StatedNode> nodes) {
    if (!replays_graphs(trace)) return;
    LaunchTokens tokens;
    std::vector<CapturedGraphs> graphs;
    // Without the begins of captures, launches without work may be launches whose work was lost.
    if (CapturedGraphs own = captured_graphs(trace, tokens); own.has_limits)
        graphs.push_back(std::move(own));
    for (const TracePtr& capture : captures) graphs.push_back(captured_graphs(*capture, tokens));
    const CapturedNodes captured(trace, nodes);
    const ReplayedKernels replayed = replayed_kernels(trace, graphs, captured, tokens);
    graphs.push_back(captured.graphs());
    add_links(trace, replayed);
    add_warnings(trace, replayed.problems);
    add_replay_lanes(trace, replayed, graphs);
}

ReplayCounts count_replays(const Trace& trace) {
    ReplayCounts counts;
    const Column<int64_t>& links = trace.gpu_activities.replay_link;
    if (links.empty()) return counts;
    for (const int64_t link : links) {
        if (link == kNoValue) continue;
        ++counts.kernels;
        ++counts.by[static_cast<std::size_t>(link)];
    }
    SliceRef last;
    for (const Link& link : trace.links) {
        if (link.kind != LinkKind::launch || link.from == last) continue;
        if (!launches_graph(trace.name(link.from))) continue;
        last = link.from;
        ++counts.launches;
    }
    return counts;
}

}  // namespace lanescope
