// CallTree: which slice calls which in a lane, for analyses of whole lanes. (For single slices:
// core/trace/query.h.)
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/column.h"
#include "core/trace/trace.h"

namespace lanescope {

class TraceContext;

struct CallTree {
    static constexpr uint32_t none = ~uint32_t{0};

    // By index in the lane. Parents have smaller indices than their children, and the children of
    // one slice are consecutive.
    Column<uint32_t> parent;  // none: an outermost slice
    Column<uint32_t> first_child;
    Column<uint32_t> child_count;
    // All indices in preorder: a slice, then everything inside it. This is the order of start if no
    // call outlives its parent.
    Column<uint32_t> order;
    // No call outlives its parent, and only calls of the outermost depth have no parent.
    bool nested = true;
};

CallTree build_call_tree(const Lane& lane);

struct CallTrees {
    std::vector<CallTree> by_lane;  // empty for lanes of counters and of GPUs

    static CallTrees compute(const TraceContext& context);
};

}  // namespace lanescope
