// Attribution: finds the call that launched a GPU activity, and the operator, module, annotation
// and step around that call.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/analysis/structure/call_tree.h"
#include "core/trace/trace.h"

namespace lanescope {

class TraceContext;

// Why a GPU activity has no operator.
enum class Unattributed : uint8_t {
    attributed,
    no_correlation,    // the file has no correlation id for the activity
    no_launch,         // the file has no runtime or driver call with this correlation id
    outside_operator,  // the launch call is not inside an operator
    no_capture,        // a graph replay launched it, and the graph's capture is not known
};
std::string_view unattributed_reason(Unattributed reason);  // for display; empty when attributed

struct Attribution {
    // Indexed by row of Trace::gpu_activities.
    std::vector<SliceRef> launch;  // the runtime or driver call, by correlation
    // The innermost captured call that launched the activity, a slice of a lane of kind `replay`;
    // none for activities that no replayed graph launched. Empty: the trace has no such lane.
    std::vector<SliceRef> captured;
    // The innermost operator around the captured call, or else around the launch's start on its
    // thread; if there is none, the operator with the activity's External id.
    std::vector<SliceRef> op;
    // The CPU event with the activity's External id, which torch's own tables use.
    std::vector<SliceRef> op_of_id;
    std::vector<Unattributed> reason;

    // The captured call, or the launch of an activity without a captured call.
    SliceRef caller(uint32_t row) const {
        return !captured.empty() && captured[row] ? captured[row] : launch[row];
    }

    // Rows of Trace::gpu_activities sorted by (launch, row), without those that have no launch.
    std::vector<uint32_t> by_launch;
    // The activities that a call launched; more than one for a CUDA graph.
    std::span<const uint32_t> launched_by(SliceRef call) const;

    static Attribution compute(const TraceContext& context);
};

// `trees`: one for each lane; empty for lanes of GPUs and counters.
Attribution attribute(const Trace& trace, std::span<const CallTree> trees);

// How the operator of an activity was found: "launch" (the operator is around the launch),
// "external id", or, for work of a graph replay, the name of its ReplayLink. Empty: no operator is
// known.
std::string_view attributed_by(const Trace& trace, const Attribution& attribution, uint32_t row);

// The calls that lead to an activity, innermost first: captured calls, then the launch and the
// calls around it.
std::vector<SliceRef> calls_to(const Attribution& attribution, std::span<const CallTree> trees,
                               uint32_t row);

// The calls around a slice, innermost first, without the slice itself.
std::vector<SliceRef> enclosing(std::span<const CallTree> trees, SliceRef slice);

}  // namespace lanescope
