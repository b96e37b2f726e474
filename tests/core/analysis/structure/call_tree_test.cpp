#include "core/analysis/structure/call_tree.h"

#include <doctest/doctest.h>

#include "core/trace/query.h"
#include "tests/core/trace_maker.h"

namespace lanescope {

namespace {

// Random calls that nest, partly overlap, or have zero length.
std::vector<TestSlice> random_calls(std::mt19937_64& random, Nanos begin) {
    std::vector<TestSlice> calls(1 + random() % 60);
    for (TestSlice& call : calls) {
        call.start = begin + static_cast<Nanos>(random() % 300);
        call.duration = random() % 4 == 0 ? 0 : static_cast<Nanos>(random() % 80);
    }
    return calls;
}

// Indices, each followed by those of its descendants.
void add_inside(const CallTree& tree, uint32_t parent, std::vector<uint32_t>& order) {
    for (uint32_t i = 0; i < tree.parent.size(); ++i) {
        if (tree.parent[i] != parent) continue;
        order.push_back(i);
        add_inside(tree, i, order);
    }
}

}  // namespace

TEST_CASE("a lane's tree and a query for each slice's parent agree") {
    std::mt19937_64 random(11);
    int nested_ones = 0;
    for (int round = 0; round < 300; ++round) {
        TraceMaker maker;
        maker.process("1", "python");
        std::vector<std::vector<TestSlice>> chunks = {random_calls(random, 0)};
        if (round % 2 == 1) chunks.push_back(random_calls(random, 1000));
        const LaneId lane = maker.lane(chunks);
        const Trace& trace = *maker.finish();
        const CallTree tree = build_call_tree(trace.lanes[lane]);
        std::vector<uint32_t> children(trace.lanes[lane].slice_count);
        bool nested = true;
        for (uint32_t i = 0; i < tree.parent.size(); ++i) {
            const SliceRef parent = parent_of(trace, {lane, i});
            CHECK(tree.parent[i] == (parent ? parent.index : CallTree::none));
            if (parent) ++children[parent.index];
            const SliceRef slice{lane, i};
            nested = nested && (parent ? trace.slice_end(slice) <= trace.slice_end(parent)
                                       : depth_of(trace, slice) == 0);
        }
        CHECK(tree.nested == nested);
        std::vector<uint32_t> order;
        add_inside(tree, CallTree::none, order);
        CHECK(std::vector<uint32_t>(tree.order.begin(), tree.order.end()) == order);
        nested_ones += nested ? 1 : 0;
        for (uint32_t i = 0; i < tree.parent.size(); ++i) {
            CHECK(tree.child_count[i] == children[i]);
            for (uint32_t k = 0; k < tree.child_count[i]; ++k)
                CHECK(tree.parent[tree.first_child[i] + k] == i);
        }
    }
    CHECK(nested_ones > 0);
    CHECK(nested_ones < 300);
}

}  // namespace lanescope
