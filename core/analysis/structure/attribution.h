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
};
std::string_view unattributed_reason(Unattributed reason);  // for display; empty when attributed

struct Attribution {
    // Indexed by row of Trace::gpu_activities.
    std::vector<SliceRef> launch;  // the runtime or driver call, by correlation
    // The innermost operator around the launch's start on its thread; if there is none, the
    // operator with the activity's External id.
    std::vector<SliceRef> op;
    // The CPU event with the activity's External id, which torch's own tables use.
    std::vector<SliceRef> op_of_id;
    std::vector<Unattributed> reason;

    // Rows of Trace::gpu_activities sorted by (launch, row), without those that have no launch.
    std::vector<uint32_t> by_launch;
    // The activities that a call launched; more than one for a CUDA graph.
    std::span<const uint32_t> launched_by(SliceRef call) const;

    static Attribution compute(const TraceContext& context);
};

// `trees`: one for each lane; empty for lanes of GPUs and counters.
Attribution attribute(const Trace& trace, std::span<const CallTree> trees);

// The calls around a slice, innermost first, without the slice itself.
std::vector<SliceRef> enclosing(std::span<const CallTree> trees, SliceRef slice);

}  // namespace lanescope
