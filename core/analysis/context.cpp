#include "core/analysis/context.h"

#include <algorithm>
#include <mutex>
#include <thread>
#include <utility>

#include "core/analysis/collectives.h"
#include "core/analysis/critical_path.h"
#include "core/analysis/dead_windows.h"
#include "core/analysis/dependency_graph.h"
#include "core/analysis/gaps.h"
#include "core/analysis/kernels.h"
#include "core/analysis/launches.h"
#include "core/analysis/synchronisations.h"
#include "core/analysis/work_models.h"
#include "core/base/parallel.h"

namespace lanescope {

struct TraceContext::Parts {
    Parts(TracePtr of, SpecsBookPtr book) : trace(std::move(of)), specs(std::move(book)) {}

    TracePtr trace;
    SpecsBookPtr specs;
    std::once_flag trees_once, attribution_once, steps_once, devices_once, overhead_once,
        curves_once, blocks_once, torch_once, windows_once, gaps_once, launches_once, syncs_once,
        models_once, collectives_once, kernels_once, dependencies_once, paths_once;
    std::vector<CallTree> trees;
    Attribution attribution;
    Steps steps;
    std::vector<GpuDevice> devices;
    Intervals overhead;
    std::vector<MemoryCurve> curves;
    std::vector<MemoryBlock> blocks;
    std::vector<TorchLane> torch;
    Column<DeadWindow> windows;
    Column<IdleGap> gaps;
    std::vector<Launch> launches;
    std::vector<Synchronisation> syncs;
    WorkModels models;
    std::vector<CollectiveRow> collectives;
    std::vector<KernelRow> kernels;
    DependencyGraph dependencies;
    std::shared_ptr<const std::vector<StepPath>> paths;
};

TraceContext::TraceContext(TracePtr trace, SpecsBookPtr specs)
    : parts_(std::make_shared<Parts>(std::move(trace), std::move(specs))) {}

const Trace& TraceContext::trace() const {
    return *parts_->trace;
}

const SpecsBook& TraceContext::specs() const {
    return *parts_->specs;
}

std::span<const CallTree> TraceContext::call_trees() const {
    Parts& p = *parts_;
    std::call_once(p.trees_once, [&] {
        p.trees.resize(p.trace->lanes.size());
        const unsigned workers = std::max(1U, std::thread::hardware_concurrency());
        parallel_for(workers, p.trees.size(), [&](std::size_t i) {
            const Lane& lane = p.trace->lanes[i];
            if (lane.kind == LaneKind::thread || lane.kind == LaneKind::async)
                p.trees[i] = build_call_tree(lane);
        });
    });
    return p.trees;
}

const Attribution& TraceContext::attribution() const {
    const std::span<const CallTree> trees = call_trees();
    Parts& p = *parts_;
    std::call_once(p.attribution_once, [&] { p.attribution = attribute(*p.trace, trees); });
    return p.attribution;
}

const Steps& TraceContext::steps() const {
    Parts& p = *parts_;
    std::call_once(p.steps_once, [&] { p.steps = find_steps(*p.trace); });
    return p.steps;
}

std::span<const GpuDevice> TraceContext::gpu_devices() const {
    Parts& p = *parts_;
    std::call_once(p.devices_once, [&] { p.devices = lanescope::gpu_devices(*p.trace); });
    return p.devices;
}

const Intervals& TraceContext::profiler_overhead() const {
    Parts& p = *parts_;
    std::call_once(p.overhead_once, [&] { p.overhead = lanescope::profiler_overhead(*p.trace); });
    return p.overhead;
}

std::span<const MemoryCurve> TraceContext::memory_curves() const {
    Parts& p = *parts_;
    std::call_once(p.curves_once, [&] { p.curves = lanescope::memory_curves(*p.trace); });
    return p.curves;
}

std::span<const MemoryBlock> TraceContext::memory_blocks() const {
    const std::span<const MemoryCurve> curves = memory_curves();
    Parts& p = *parts_;
    std::call_once(p.blocks_once, [&] { p.blocks = lanescope::memory_blocks(*p.trace, curves); });
    return p.blocks;
}

std::span<const TorchLane> TraceContext::torch_lanes() const {
    const std::span<const CallTree> trees = call_trees();
    const Attribution& owners = attribution();
    Parts& p = *parts_;
    std::call_once(p.torch_once,
                   [&] { p.torch = lanescope::torch_lanes(*p.trace, trees, owners); });
    return p.torch;
}

const Column<DeadWindow>& TraceContext::dead_windows() const {
    Parts& p = *parts_;
    std::call_once(p.windows_once, [&] { p.windows = lanescope::dead_windows(*this, {}); });
    return p.windows;
}

const Column<IdleGap>& TraceContext::idle_gaps() const {
    Parts& p = *parts_;
    std::call_once(p.gaps_once, [&] { p.gaps = lanescope::idle_gaps(*this, {}); });
    return p.gaps;
}

const std::vector<Launch>& TraceContext::launches() const {
    Parts& p = *parts_;
    std::call_once(p.launches_once, [&] { p.launches = lanescope::launches(*this, {}); });
    return p.launches;
}

const std::vector<Synchronisation>& TraceContext::synchronisations() const {
    Parts& p = *parts_;
    std::call_once(p.syncs_once, [&] { p.syncs = lanescope::synchronisations(*this, {}); });
    return p.syncs;
}

const WorkModels& TraceContext::work_models() const {
    Parts& p = *parts_;
    std::call_once(p.models_once, [&] { p.models = lanescope::work_models(*this); });
    return p.models;
}

const std::vector<CollectiveRow>& TraceContext::collective_rows() const {
    Parts& p = *parts_;
    std::call_once(p.collectives_once,
                   [&] { p.collectives = lanescope::collective_rows(*this, {}); });
    return p.collectives;
}

const std::vector<KernelRow>& TraceContext::kernel_rows() const {
    Parts& p = *parts_;
    std::call_once(p.kernels_once,
                   [&] { p.kernels = lanescope::kernel_rows(*this, {}, KernelGrouping::name); });
    return p.kernels;
}

const DependencyGraph& TraceContext::dependencies() const {
    Parts& p = *parts_;
    std::call_once(p.dependencies_once, [&] { p.dependencies = dependency_graph(*this); });
    return p.dependencies;
}

std::shared_ptr<const std::vector<StepPath>> TraceContext::critical_paths() const {
    Parts& p = *parts_;
    std::call_once(p.paths_once, [&] {
        p.paths =
            std::make_shared<const std::vector<StepPath>>(lanescope::critical_paths(*this, {}));
    });
    return p.paths;
}

}  // namespace lanescope
