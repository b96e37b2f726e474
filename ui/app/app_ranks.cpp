// Collectives across the ranks of one job: matched in the background once all are read, and
// described while one is selected.
#include <algorithm>
#include <vector>

#include "ui/app/app.h"

namespace lanescope {

void App::match_ranks() {
    if (traces_.contexts.size() < 2) return;
    analysis_worker_.post([this, of = traces_.of, contexts = traces_.contexts] {
        std::vector<const TraceContext*> parts;
        parts.reserve(contexts.size());
        for (const auto& context : contexts) parts.push_back(context.get());
        auto ranks = std::make_shared<const RankCollectives>(match_collectives(parts));
        return [this, of, ranks = std::move(ranks)] {
            if (of == traces_.of) traces_.ranks = ranks;
            pacing_.wake();
        };
    });
}

void App::follow_ranks() {
    const RankCollectives::Call* call =
        traces_.ranks && facts_ ? traces_.ranks->call_of(facts_->slice) : nullptr;
    if (!call) {
        timeline_.same_call.clear();
        return;
    }
    if (!facts_->ranks.empty()) return;
    const Trace& trace = timeline_.trace();
    Nanos first = INT64_MAX;
    for (const SliceRef slice : call->slices) first = std::min(first, trace.start(slice));
    for (const SliceRef slice : call->slices)
        facts_->ranks.push_back({slice, trace.parts[part_of(trace, slice.lane)].name,
                                 trace.start(slice) - first, trace.duration(slice)});
    timeline_.same_call = call->slices;
    pacing_.wake();
}

}  // namespace lanescope
