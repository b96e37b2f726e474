#include "core/analysis/call_tree.h"

#include <algorithm>

#include "core/analysis/lane_view.h"

namespace lanescope {

CallTree build_call_tree(const Lane& lane) {
    const LaneView view(lane);
    CallTree tree;
    tree.parent.assign(view.size(), CallTree::none);
    tree.first_child.assign(view.size(), CallTree::none);
    tree.child_count.assign(view.size(), 0);
    std::vector<uint32_t> above;
    std::vector<uint32_t> row;
    for (uint32_t depth = 0; depth < view.depth_count(); ++depth) {
        row.clear();
        std::size_t next = 0;  // the first of `above` that starts after the slice
        view.visit_row(depth, [&](uint32_t i) {
            row.push_back(i);
            const Nanos start = view.start(i);
            while (next < above.size() && view.start(above[next]) <= start) ++next;
            if (next == 0) return;
            const uint32_t parent = above[next - 1];
            // A slice of no length covers the nanosecond at which it stands.
            const Nanos parent_end = view.start(parent) + std::max<Nanos>(view.duration(parent), 1);
            if (start >= parent_end) return;
            tree.parent[i] = parent;
            if (tree.child_count[parent]++ == 0) tree.first_child[parent] = i;
        });
        above.swap(row);
    }
    return tree;
}

}  // namespace lanescope
