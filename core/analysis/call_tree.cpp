#include "core/analysis/call_tree.h"

#include <algorithm>

#include "core/analysis/lane_view.h"

namespace lanescope {

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
            // A slice of no length covers the nanosecond at which it stands.
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
    return tree;
}

Column<uint32_t> preorder(const CallTree& tree) {
    const auto count = static_cast<uint32_t>(tree.parent.size());
    Column<uint32_t> order;
    order.reserve(count);
    std::vector<uint32_t> open;
    for (uint32_t root = 0; root < count; ++root) {
        if (tree.parent[root] != CallTree::none) continue;
        open.push_back(root);
        while (!open.empty()) {
            const uint32_t i = open.back();
            open.pop_back();
            order.push_back(i);
            for (uint32_t c = tree.child_count[i]; c-- > 0;)
                open.push_back(tree.first_child[i] + c);
        }
    }
    return order;
}

}  // namespace lanescope
