#include "ui/features/ranks.h"

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "core/analysis/ranks/open_ranks.h"
#include "core/analysis/structure/gpu_work.h"
#include "ui/panels/ranks_panel.h"
#include "ui/panels/selection.h"
#include "ui/timeline/ranks_layer.h"

namespace lanescope {

namespace {

using RanksPtr = std::shared_ptr<const OpenRanks>;

RanksPtr compare_ranks_of(const std::vector<std::shared_ptr<const TraceContext>>& contexts) {
    if (contexts.size() == 1 && contexts.front()->get<GpuDevices>().all.size() < 2) return nullptr;
    std::vector<const TraceContext*> parts;
    parts.reserve(contexts.size());
    for (const auto& context : contexts) parts.push_back(context.get());
    return compare_open_ranks(parts);
}

}  // namespace

void RanksFeature::loaded(LoadedTrace& loaded, Frame& frame) {
    frame.jobs.ask(
        loaded.key("ranks"), [contexts = loaded.contexts] { return compare_ranks_of(contexts); },
        [&frame](RanksPtr ranks) {
            frame.loaded()->state.get<ComparedRanks>() = {std::move(ranks), true};
            frame.pacing.wake();
        },
        JobQueue::analysis);
}

void RanksFeature::follow(Frame& frame) {
    LoadedTrace* const loaded = frame.loaded();
    std::optional<SliceFacts>* const facts =
        frame.trace ? &frame.trace->state.get<DescribedSlice>().facts : nullptr;
    const RanksPtr ranks = loaded ? loaded->state.get<ComparedRanks>().ranks : nullptr;
    const MatchedCall* const call =
        ranks && facts && *facts ? ranks->call_of((*facts)->slice) : nullptr;
    if (!call) {
        frame.timeline.layer<RanksLayer>().same_call.clear();
        return;
    }
    std::vector<RankPeer>& peers = (*facts)->ranks;
    if (!peers.empty()) return;
    const Trace& trace = frame.timeline.trace();
    const auto arrivals = ranks->result.waits.members_of(*call);
    const Nanos first =
        ranks->result.waits
            .calls[static_cast<std::size_t>(call - ranks->result.matched.calls.data())]
            .first_begin;
    std::vector<SliceRef>& slices = frame.timeline.layer<RanksLayer>().same_call;
    slices.clear();
    for (const RankArrival& arrival : arrivals) {
        const SliceRef slice = ranks->call(arrival.call).slice;
        slices.push_back(slice);
        peers.push_back({slice, member_name(ranks->data.members[arrival.member]),
                         arrival.time.begin - first, trace.duration(slice)});
    }
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
