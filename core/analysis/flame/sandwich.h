// Sandwich: what calls a function, and what it calls, over all places where it is called.
#pragma once

#include <cstdint>
#include <vector>

#include "core/analysis/flame/flame_tree.h"

namespace lanescope {

struct FlameName {
    uint32_t frame = 0;  // index in FlameTree::frames
    int64_t total = 0;   // of its outermost calls: recursion counts once
    int64_t self = 0;
    uint64_t calls = 0;
    SliceRef longest;
};
// The frames of the tree; most own weight first. Threads above their calls are left out.
std::vector<FlameName> flame_names(const FlameTree& tree);

// Trees whose outermost node is the frame, made of its outermost calls. Below it are its callers,
// with the weight of the calls from there …
FlameTree callers_of(const FlameTree& tree, uint32_t frame);
// … or its callees.
FlameTree callees_of(const FlameTree& tree, uint32_t frame);
// Frames by their own weight, with their callers below them.
FlameTree inverted(const FlameTree& tree);

}  // namespace lanescope
