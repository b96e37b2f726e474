// CallTree: who calls whom in a lane, for analyses that go through all of it. (For one slice:
// core/trace/query.h.)
#pragma once

#include <cstdint>

#include "core/base/column.h"
#include "core/trace/trace.h"

namespace lanescope {

struct CallTree {
    static constexpr uint32_t none = ~uint32_t{0};

    // By the index of a slice in its lane. Parents have smaller indices than their children, and
    // the children of one slice follow each other.
    Column<uint32_t> parent;  // none: an outermost slice
    Column<uint32_t> first_child;
    Column<uint32_t> child_count;
    // All indices: a slice, then what is inside it. That is the order of start, where no call
    // outlives its parent.
    Column<uint32_t> order;
    // No call outlives its parent, and only the outermost depth has calls without one.
    bool nested = true;
};

CallTree build_call_tree(const Lane& lane);

}  // namespace lanescope
