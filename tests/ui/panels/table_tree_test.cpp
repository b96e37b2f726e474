#include "ui/panels/table_tree.h"

#include <doctest/doctest.h>

#include <vector>

using namespace lanescope;

namespace {

constexpr auto kTreeColumns = columns<int64_t>({
    {{"depth", Unit::count, kMax, "", "How many rows are around it."},
     [](const int64_t& depth) { return depth; }},
});
constexpr TableOf<int64_t> kTreeSpec = {{"tree", "A tree.", {}, true}, kTreeColumns};

Table tree(const std::vector<int64_t>& depths) {
    TableBuilder table(kTreeSpec);
    for (const int64_t depth : depths) table.add(depth);
    return table.take();
}

std::vector<uint32_t> shown(const std::vector<int64_t>& depths,
                            const std::vector<uint32_t>& folded) {
    std::vector<uint32_t> rows;
    for (uint32_t i = 0; i < depths.size(); ++i) rows.push_back(i);
    unfolded(tree(depths), rows, folded);
    return rows;
}

}  // namespace

TEST_CASE("folding a row hides all deeper rows up to its next sibling") {
    const std::vector<int64_t> depths = {0, 1, 2, 2, 1, 2, 0, 1};
    using Rows = std::vector<uint32_t>;
    CHECK(shown(depths, {}) == Rows{0, 1, 2, 3, 4, 5, 6, 7});
    CHECK(shown(depths, {1}) == Rows{0, 1, 4, 5, 6, 7});
    CHECK(shown(depths, {0}) == Rows{0, 6, 7});
    CHECK(shown(depths, {0, 1, 6}) == Rows{0, 6});
    CHECK(shown(depths, {1, 4}) == Rows{0, 1, 4, 6, 7});
    CHECK(shown(depths, {7}) == Rows{0, 1, 2, 3, 4, 5, 6, 7});
}
