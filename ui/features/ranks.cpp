#include "ui/features/ranks.h"

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "core/analysis/collectives/rank_collectives.h"
#include "ui/panels/selection.h"
#include "ui/timeline/ranks_layer.h"

namespace lanescope {

namespace {

using RanksPtr = std::shared_ptr<const RankCollectives>;

struct MatchedRanks {
    RanksPtr ranks;  // null: not known yet, or a single trace
};

}  // namespace

void RanksFeature::loaded(LoadedTrace& loaded, Frame& frame) {
    if (loaded.contexts.size() < 2) return;
    frame.jobs.ask(
        loaded.key("ranks"),
        [contexts = loaded.contexts] {
            std::vector<const TraceContext*> parts;
            parts.reserve(contexts.size());
            for (const auto& context : contexts) parts.push_back(context.get());
            return std::make_shared<const RankCollectives>(match_collectives(parts));
        },
        [&frame](std::shared_ptr<const RankCollectives> ranks) {
            frame.loaded()->state.get<MatchedRanks>().ranks = std::move(ranks);
            frame.pacing.wake();
        },
        JobQueue::analysis);
}

void RanksFeature::follow(Frame& frame) {
    LoadedTrace* const loaded = frame.loaded();
    std::optional<SliceFacts>* const facts =
        frame.trace ? &frame.trace->state.get<DescribedSlice>().facts : nullptr;
    const RanksPtr ranks = loaded ? loaded->state.get<MatchedRanks>().ranks : nullptr;
    const RankCollectives::Call* call =
        ranks && facts && *facts ? ranks->call_of((*facts)->slice) : nullptr;
    if (!call) {
        frame.timeline.layer<RanksLayer>().same_call.clear();
        return;
    }
    std::vector<RankPeer>& peers = (*facts)->ranks;
    if (!peers.empty()) return;
    const Trace& trace = frame.timeline.trace();
    Nanos first = INT64_MAX;
    for (const SliceRef slice : call->slices) first = std::min(first, trace.start(slice));
    for (const SliceRef slice : call->slices)
        peers.push_back({slice, trace.parts[part_of(trace, slice.lane)].name,
                         trace.start(slice) - first, trace.duration(slice)});
    frame.timeline.layer<RanksLayer>().same_call = call->slices;
    frame.pacing.wake();
}

void RanksFeature::describe(const Frame& frame, nlohmann::json& state) const {
    if (!frame.timeline.index) return;
    nlohmann::json ranks = nlohmann::json::array();
    const DescribedSlice* const described =
        frame.trace ? frame.trace->state.find<DescribedSlice>() : nullptr;
    if (described && described->facts)
        for (const RankPeer& peer : described->facts->ranks)
            ranks.push_back({{"rank", peer.rank}, {"late", peer.late}, {"lane", peer.slice.lane}});
    state["traces"]["ranks"] = ranks;
}

}  // namespace lanescope
