// The functions of two runs as one flame graph: boxes as wide as the longer of both times, with
// what changed in each.
#pragma once

#include <string>
#include <vector>

#include "core/analysis/flame/flame_tree.h"
#include "core/insight/compare/compare.h"

namespace lanescope {

// Times in ns, medians over the steps: of the function itself, and with all that it calls. A sum of
// medians is not exactly the median of the sum.
struct DifferenceBox {
    std::string name;
    double a = 0, b = 0;              // with what it calls
    double self_a = 0, self_b = 0;    // as in the function's row
    Verdict verdict = Verdict::none;  // of itself; none: not tested, or it takes no time itself
    SliceRef longest_a, longest_b;
};

struct DifferenceFlames {
    // FlameNode::self is the longer of self_a and self_b, so that no function of either run is
    // invisible; FlameNode::longest is the longest call in A or, if A has none, in B. Frames are
    // empty, one for each node.
    FlameTree tree;
    std::vector<DifferenceBox> boxes;  // by node; the first is the step
    double step = 0;                   // the median step of A, ns
};

// Empty if the runs are not comparable.
DifferenceFlames difference_flames(const Comparison& comparison);

}  // namespace lanescope
