// TraceContext: results that several analyses of a trace share, computed on first use.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/analysis/gpu/gpu_work.h"
#include "core/analysis/memory/memory_blocks.h"
#include "core/analysis/structure/attribution.h"
#include "core/analysis/structure/call_tree.h"
#include "core/analysis/structure/steps.h"
#include "core/models/device_specs.h"
#include "core/trace/trace.h"

namespace lanescope {

struct CollectiveRow;
struct DeadWindow;
struct DependencyGraph;
struct IdleGap;
struct KernelRow;
struct Launch;
struct OperatorRows;
struct OperatorSums;
struct StepPath;
struct Synchronisation;
struct WorkModels;
class TorchEvents;

// Thread-safe. Copies share the results and keep them alive.
class TraceContext {
  public:
    // `specs`: null for the built-in ones, which are read on first use.
    explicit TraceContext(TracePtr trace, SpecsBookPtr specs = nullptr);

    const Trace& trace() const;
    const SpecsBook& specs() const;  // what its devices could do
    // By lane; empty for lanes of counters and of GPUs.
    std::span<const CallTree> call_trees() const;
    const Attribution& attribution() const;
    const Steps& steps() const;
    std::span<const GpuDevice> gpu_devices() const;
    const Intervals& profiler_overhead() const;
    std::span<const MemoryCurve> memory_curves() const;
    std::span<const MemoryBlock> memory_blocks() const;  // of those curves
    const TorchEvents& torch_events() const;
    // A slice's row of Trace::operators; kNoRow: none.
    uint32_t operator_row(SliceRef slice) const;

    // The results of the functions of the same names for the whole trace.
    const Column<DeadWindow>& dead_windows() const;
    const Column<IdleGap>& idle_gaps() const;
    const std::vector<Launch>& launches() const;
    const std::vector<Synchronisation>& synchronisations() const;
    const WorkModels& work_models() const;
    const std::vector<CollectiveRow>& collective_rows() const;
    const std::vector<KernelRow>& kernel_rows() const;    // by name
    std::span<const OperatorSums> operator_sums() const;  // by lane
    const OperatorRows& operators_by_name() const;
    const std::vector<uint8_t>& planned_by_query() const;
    const DependencyGraph& dependencies() const;
    std::shared_ptr<const std::vector<StepPath>> critical_paths() const;

  private:
    struct Parts;
    std::shared_ptr<Parts> parts_;
};

}  // namespace lanescope
