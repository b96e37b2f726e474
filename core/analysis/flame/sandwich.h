// Questions to a flame graph: the time of each name, what calls it and what it calls over all
// places, and the names that contain a text.
#pragma once

#include <cstdint>
#include <string_view>
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

// The nodes whose names contain a text, in any case.
struct FlameMatches {
    std::vector<bool> frames;  // by frame: its name matches
    uint64_t nodes = 0;
    int64_t weight = 0;  // of the outermost matching nodes
};
FlameMatches find_flames(const Trace& trace, const FlameTree& tree, std::string_view text);

}  // namespace lanescope
