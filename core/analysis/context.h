// TraceContext: what several analyses need of a trace, worked out once, when first asked for.
#pragma once

#include <memory>
#include <mutex>
#include <span>

#include "core/analysis/attribution.h"
#include "core/analysis/call_tree.h"
#include "core/analysis/gpu_work.h"
#include "core/analysis/memory_blocks.h"
#include "core/analysis/steps.h"
#include "core/analysis/torch_events.h"
#include "core/trace/trace.h"

namespace lanescope {

// May be asked from several threads at once.
class TraceContext {
  public:
    explicit TraceContext(TracePtr trace) : trace_(std::move(trace)) {}

    const Trace& trace() const { return *trace_; }
    // By lane; empty for lanes of counters and of GPUs.
    std::span<const CallTree> call_trees() const;
    const Attribution& attribution() const;
    const Steps& steps() const;
    std::span<const GpuDevice> gpu_devices() const;
    const Intervals& profiler_overhead() const;
    std::span<const MemoryCurve> memory_curves() const;
    std::span<const MemoryBlock> memory_blocks() const;  // of those curves
    // By lane.
    std::span<const TorchLane> torch_lanes() const;

  private:
    TracePtr trace_;
    mutable std::once_flag trees_once_, attribution_once_, steps_once_, devices_once_,
        overhead_once_, curves_once_, blocks_once_, torch_once_;
    mutable std::vector<CallTree> trees_;
    mutable Attribution attribution_;
    mutable Steps steps_;
    mutable std::vector<GpuDevice> devices_;
    mutable Intervals overhead_;
    mutable std::vector<MemoryCurve> curves_;
    mutable std::vector<MemoryBlock> blocks_;
    mutable std::vector<TorchLane> torch_;
};

}  // namespace lanescope
