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

std::span<const GpuDevice> TraceContext::gpu_devices() const {
    std::call_once(devices_once_, [this] { devices_ = lanescope::gpu_devices(*trace_); });
    return devices_;
}

const Intervals& TraceContext::profiler_overhead() const {
    std::call_once(overhead_once_, [this] { overhead_ = lanescope::profiler_overhead(*trace_); });
    return overhead_;
}

std::span<const MemoryCurve> TraceContext::memory_curves() const {
    std::call_once(curves_once_, [this] { curves_ = lanescope::memory_curves(*trace_); });
    return curves_;
}

std::span<const MemoryBlock> TraceContext::memory_blocks() const {
    const std::span<const MemoryCurve> curves = memory_curves();
    std::call_once(blocks_once_, [&] { blocks_ = lanescope::memory_blocks(*trace_, curves); });
    return blocks_;
}

std::span<const TorchLane> TraceContext::torch_lanes() const {
    const std::span<const CallTree> trees = call_trees();
    const Attribution& owners = attribution();
    std::call_once(torch_once_, [&] { torch_ = lanescope::torch_lanes(*trace_, trees, owners); });
    return torch_;
}

}  // namespace lanescope
