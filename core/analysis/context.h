// TraceContext: what several analyses need of a trace, worked out once, when first asked for.
#pragma once

#include <memory>
#include <mutex>
#include <span>

#include "core/analysis/attribution.h"
#include "core/analysis/call_tree.h"
#include "core/analysis/steps.h"
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

  private:
    TracePtr trace_;
    mutable std::once_flag trees_once_, attribution_once_, steps_once_;
    mutable std::vector<CallTree> trees_;
    mutable Attribution attribution_;
    mutable Steps steps_;
};

}  // namespace lanescope
