// Attribution: which call launched a GPU activity, and which operator, module, annotation and step
// that call stands in.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/analysis/call_tree.h"
#include "core/trace/trace.h"

namespace lanescope {

// Why a GPU activity has no operator.
enum class Unattributed : uint8_t {
    attributed,
    no_correlation,    // the file gives the activity no correlation id
    no_launch,         // no runtime or driver call with its correlation id is in the file
    outside_operator,  // the launch call stands in no operator
};
std::string_view unattributed_reason(Unattributed reason);  // for people; empty when attributed

struct Attribution {
    // By row of Trace::gpu_activities.
    std::vector<SliceRef> launch;  // the runtime or driver call, by correlation
    // The innermost operator around the launch's start on its thread; where there is none, the
    // operator with the activity's External id.
    std::vector<SliceRef> op;
    // The CPU event with the activity's External id: what torch's own tables go by.
    std::vector<SliceRef> op_of_id;
    std::vector<Unattributed> reason;

    // Rows of Trace::gpu_activities by (launch, row); those without a launch are left out.
    std::vector<uint32_t> by_launch;
    // The activities that a call launched; more than one for a CUDA graph.
    std::span<const uint32_t> launched_by(SliceRef call) const;
};

// `trees`: of every lane; empty ones for lanes of GPUs and counters.
Attribution attribute(const Trace& trace, std::span<const CallTree> trees);

// The calls around a slice, from the innermost to the outermost, itself not among them.
std::vector<SliceRef> enclosing(std::span<const CallTree> trees, SliceRef slice);

}  // namespace lanescope
