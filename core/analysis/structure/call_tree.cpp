#include "core/analysis/structure/call_tree.h"

#include <algorithm>
#include <thread>

#include "core/analysis/context.h"
#include "core/analysis/structure/lane_view.h"
#include "core/base/parallel.h"

namespace lanescope {

namespace {

// The position of a slice follows its parent, and everything inside its elder siblings.
Column<uint32_t> order_of(const Column<uint32_t>& parent) {
    const auto count = static_cast<uint32_t>(parent.size());
    // The number of slices in it, itself included; once it has its position, that of its next
    // child.
    Column<uint32_t> next = Column<uint32_t>::filled(count, 1);
    for (uint32_t i = count; i-- > 0;)
        if (parent[i] != CallTree::none) next[parent[i]] += next[i];
    Column<uint32_t> order(count);
    uint32_t next_root = 0;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t& place = parent[i] == CallTree::none ? next_root : next[parent[i]];
        order[place] = i;
        const uint32_t size = next[i];
        next[i] = place + 1;
        place += size;
    }
    return order;
}

}  // namespace

CallTree build_call_tree(const Lane& lane) {
    const LaneView view(lane);
    CallTree tree;
    tree.parent = Column<uint32_t>::filled(view.size(), CallTree::none);
    tree.first_child = Column<uint32_t>::filled(view.size(), CallTree::none);
    tree.child_count = Column<uint32_t>::filled(view.size(), 0);
    std::vector<uint32_t> above;
    std::vector<uint32_t> row;
    for (uint32_t depth = 0; depth < view.depth_count(); ++depth) {
        row.clear();
        std::size_t next = 0;  // the first of `above` that starts after the slice
        view.visit_row(depth, [&](uint32_t i) {
            row.push_back(i);
            const Nanos start = view.start(i);
            while (next < above.size() && view.start(above[next]) <= start) ++next;
            if (next == 0) {
                tree.nested = tree.nested && depth == 0;
                return;
            }
            const uint32_t parent = above[next - 1];
            // A slice of zero length covers the nanosecond at which it starts.
            const Nanos parent_end = view.start(parent) + std::max<Nanos>(view.duration(parent), 1);
            tree.nested = tree.nested && view.end(i) <= view.end(parent);
            if (start >= parent_end) {
                tree.nested = false;
                return;
            }
            tree.parent[i] = parent;
            if (tree.child_count[parent]++ == 0) tree.first_child[parent] = i;
        });
        above.swap(row);
    }
    tree.order = order_of(tree.parent);
    return tree;
}

CallTrees CallTrees::compute(const TraceContext& context) {
    const std::vector<Lane>& lanes = context.trace().lanes;
    CallTrees trees;
    trees.by_lane.resize(lanes.size());
    const unsigned workers = std::max(1U, std::thread::hardware_concurrency());
    parallel_for(workers, lanes.size(), [&](std::size_t i) {
        if (lanes[i].kind == LaneKind::thread || lanes[i].kind == LaneKind::async ||
            lanes[i].kind == LaneKind::replay)
            trees.by_lane[i] = build_call_tree(lanes[i]);
    });
    return trees;
}

}  // namespace lanescope
