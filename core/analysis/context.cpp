#include "core/analysis/context.h"

#include <algorithm>
#include <thread>

#include "core/base/parallel.h"

namespace lanescope {

std::span<const CallTree> TraceContext::call_trees() const {
    std::call_once(trees_once_, [this] {
        trees_.resize(trace_->lanes.size());
        const unsigned workers = std::max(1U, std::thread::hardware_concurrency());
        parallel_for(workers, trees_.size(), [this](std::size_t i) {
            const Lane& lane = trace_->lanes[i];
            if (lane.kind == LaneKind::thread || lane.kind == LaneKind::async)
                trees_[i] = build_call_tree(lane);
        });
    });
    return trees_;
}

const Attribution& TraceContext::attribution() const {
    const std::span<const CallTree> trees = call_trees();
    std::call_once(attribution_once_, [&] { attribution_ = attribute(*trace_, trees); });
    return attribution_;
}

const Steps& TraceContext::steps() const {
    std::call_once(steps_once_, [this] { steps_ = find_steps(*trace_); });
    return steps_;
}

}  // namespace lanescope
