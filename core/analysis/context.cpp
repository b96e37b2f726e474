#include "core/analysis/context.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "core/analysis/collectives/collectives.h"
#include "core/analysis/critical_path/critical_path.h"
#include "core/analysis/critical_path/dependency_graph.h"
#include "core/analysis/gpu/dead_windows.h"
#include "core/analysis/gpu/gaps.h"
#include "core/analysis/gpu/launches.h"
#include "core/analysis/gpu/occupancy_queries.h"
#include "core/analysis/gpu/synchronisations.h"
#include "core/analysis/kernels/kernels.h"
#include "core/analysis/operators/operators.h"
#include "core/analysis/operators/torch_events.h"
#include "core/analysis/work/work_models.h"
#include "core/base/parallel.h"

namespace lanescope {

namespace {

// Runs a function once. A repeated call costs one load, where std::call_once() takes forty
// instructions; loops call this in every iteration.
class Once {
  public:
    template <typename Work>
    void run(const Work& work) {
        if (done_.load(std::memory_order_acquire)) return;
        std::call_once(flag_, [&] {
            work();
            done_.store(true, std::memory_order_release);
        });
    }

  private:
    std::once_flag flag_;
    std::atomic<bool> done_ = false;
};

}  // namespace

struct TraceContext::Parts {
    Parts(TracePtr of, SpecsBookPtr book) : trace(std::move(of)), specs(std::move(book)) {}

    TracePtr trace;
    SpecsBookPtr specs;
    Once trees_once, attribution_once, steps_once, devices_once, overhead_once, curves_once,
        blocks_once, torch_once, rows_once, windows_once, gaps_once, launches_once, syncs_once,
        models_once, collectives_once, kernels_once, sums_once, operators_once, planned_once,
        dependencies_once, paths_once;
    std::vector<CallTree> trees;
    Attribution attribution;
    Steps steps;
    std::vector<GpuDevice> devices;
    Intervals overhead;
    std::vector<MemoryCurve> curves;
    std::vector<MemoryBlock> blocks;
    std::optional<TorchEvents> torch;
    std::vector<Column<uint32_t>> operator_rows;  // by lane and index
    Column<DeadWindow> windows;
    Column<IdleGap> gaps;
    std::vector<Launch> launches;
    std::vector<Synchronisation> syncs;
    WorkModels models;
    std::vector<CollectiveRow> collectives;
    std::vector<KernelRow> kernels;
    std::vector<OperatorSums> operator_sums;
    OperatorRows operators;
    std::vector<uint8_t> planned;
    DependencyGraph dependencies;
    std::shared_ptr<const std::vector<StepPath>> paths;
};

TraceContext::TraceContext(TracePtr trace, SpecsBookPtr specs)
    : parts_(std::make_shared<Parts>(std::move(trace), std::move(specs))) {}

const Trace& TraceContext::trace() const {
    return *parts_->trace;
}

const SpecsBook& TraceContext::specs() const {
    return parts_->specs ? *parts_->specs : *built_in_specs();
}

std::span<const CallTree> TraceContext::call_trees() const {
    Parts& p = *parts_;
    p.trees_once.run([&] {
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
    Parts& p = *parts_;
    p.attribution_once.run([&] { p.attribution = attribute(*p.trace, call_trees()); });
    return p.attribution;
}

const Steps& TraceContext::steps() const {
    Parts& p = *parts_;
    p.steps_once.run([&] { p.steps = find_steps(*p.trace); });
    return p.steps;
}

std::span<const GpuDevice> TraceContext::gpu_devices() const {
    Parts& p = *parts_;
    p.devices_once.run([&] { p.devices = lanescope::gpu_devices(*p.trace); });
    return p.devices;
}

const Intervals& TraceContext::profiler_overhead() const {
    Parts& p = *parts_;
    p.overhead_once.run([&] { p.overhead = lanescope::profiler_overhead(*p.trace); });
    return p.overhead;
}

std::span<const MemoryCurve> TraceContext::memory_curves() const {
    Parts& p = *parts_;
    p.curves_once.run([&] { p.curves = lanescope::memory_curves(*p.trace); });
    return p.curves;
}

std::span<const MemoryBlock> TraceContext::memory_blocks() const {
    Parts& p = *parts_;
    p.blocks_once.run([&] { p.blocks = lanescope::memory_blocks(*p.trace, memory_curves()); });
    return p.blocks;
}

const TorchEvents& TraceContext::torch_events() const {
    Parts& p = *parts_;
    p.torch_once.run([&] { p.torch.emplace(*p.trace, call_trees(), attribution()); });
    return *p.torch;
}

uint32_t TraceContext::operator_row(SliceRef slice) const {
    Parts& p = *parts_;
    p.rows_once.run([&] {
        const Trace& of = *p.trace;
        p.operator_rows.resize(of.lanes.size());
        for (uint32_t row = 0; row < of.operators.slice.size(); ++row) {
            const SliceRef op = of.operators.slice[row];
            Column<uint32_t>& lane = p.operator_rows[op.lane];
            if (lane.empty())
                lane = Column<uint32_t>::filled(of.lanes[op.lane].slice_count, kNoRow);
            lane[op.index] = row;
        }
    });
    const Column<uint32_t>& lane = p.operator_rows[slice.lane];
    return lane.empty() ? kNoRow : lane[slice.index];
}

const Column<DeadWindow>& TraceContext::dead_windows() const {
    Parts& p = *parts_;
    p.windows_once.run([&] { p.windows = lanescope::dead_windows(*this, {}); });
    return p.windows;
}

const Column<IdleGap>& TraceContext::idle_gaps() const {
    Parts& p = *parts_;
    p.gaps_once.run([&] { p.gaps = lanescope::idle_gaps(*this, {}); });
    return p.gaps;
}

const std::vector<Launch>& TraceContext::launches() const {
    Parts& p = *parts_;
    p.launches_once.run([&] { p.launches = lanescope::launches(*this, {}); });
    return p.launches;
}

const std::vector<Synchronisation>& TraceContext::synchronisations() const {
    Parts& p = *parts_;
    p.syncs_once.run([&] { p.syncs = lanescope::synchronisations(*this, {}); });
    return p.syncs;
}

const WorkModels& TraceContext::work_models() const {
    Parts& p = *parts_;
    p.models_once.run([&] { p.models = lanescope::work_models(*this); });
    return p.models;
}

const std::vector<CollectiveRow>& TraceContext::collective_rows() const {
    Parts& p = *parts_;
    p.collectives_once.run([&] { p.collectives = lanescope::collective_rows(*this, {}); });
    return p.collectives;
}

const std::vector<KernelRow>& TraceContext::kernel_rows() const {
    Parts& p = *parts_;
    p.kernels_once.run(
        [&] { p.kernels = lanescope::kernel_rows(*this, {}, KernelGrouping::name); });
    return p.kernels;
}

std::span<const OperatorSums> TraceContext::operator_sums() const {
    Parts& p = *parts_;
    p.sums_once.run([&] { p.operator_sums = lanescope::operator_sums(*this, {}); });
    return p.operator_sums;
}

const OperatorRows& TraceContext::operators_by_name() const {
    Parts& p = *parts_;
    p.operators_once.run([&] { p.operators = lanescope::operators_by_name(*this, {}); });
    return p.operators;
}

const std::vector<uint8_t>& TraceContext::planned_by_query() const {
    Parts& p = *parts_;
    p.planned_once.run([&] { p.planned = lanescope::planned_by_query(*this); });
    return p.planned;
}

const DependencyGraph& TraceContext::dependencies() const {
    Parts& p = *parts_;
    p.dependencies_once.run([&] { p.dependencies = dependency_graph(*this); });
    return p.dependencies;
}

std::shared_ptr<const std::vector<StepPath>> TraceContext::critical_paths() const {
    Parts& p = *parts_;
    p.paths_once.run([&] {
        p.paths =
            std::make_shared<const std::vector<StepPath>>(lanescope::critical_paths(*this, {}));
    });
    return p.paths;
}

}  // namespace lanescope
