// FlameBuilder: collects calls and their weights, and lays out the tree.
#pragma once

#include <cstdint>
#include <vector>

#include "core/analysis/flame/flame_tree.h"
#include "core/base/flat_map.h"

namespace lanescope {

class FlameBuilder {
  public:
    static constexpr uint32_t kRoot = 0;

    FlameBuilder(FlameOrder order, FlameWeight weight);
    // For a tree made from another one: its frames keep their numbers.
    FlameBuilder(const FlameTree& other, FlameOrder order);

    // The number of a frame; equal frames have equal numbers.
    uint32_t frame(const FlameFrame& frame);

    // The node of `frame` below `parent`, for `calls` calls of which `slice` is the longest. In
    // order of time, each slice has a node of its own.
    uint32_t enter(uint32_t parent, uint32_t frame, SliceRef slice, Nanos duration,
                   uint64_t calls = 1);
    // Adds weight to the node itself. In order of time, this also moves the place at which the next
    // node begins: call it in order of time.
    void add(uint32_t node, int64_t weight) {
        tree_.nodes[node].self += weight;
        position_ += weight;
    }

    // Computes totals, sorts children and numbers the nodes.
    FlameTree take();

  private:
    uint32_t add_node(uint32_t parent, uint32_t frame);
    std::vector<uint32_t> child_lists() const;
    void add_up();
    void lay_out();

    FlameTree tree_;
    FlatMap<uint32_t> frames_;    // by name, class, module and kind
    FlatMap<uint32_t> children_;  // by parent and frame; unless in order of time
    std::vector<uint32_t> last_;  // by node: its last child, in order of time
    int64_t position_ = 0;        // all weight so far
};

}  // namespace lanescope
