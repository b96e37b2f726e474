#include "core/insight/compare/graph_match.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace lanescope;

namespace {

using Names = std::vector<std::string>;
using Pairs = std::vector<std::pair<uint32_t, uint32_t>>;

ProfiledKernel made_kernel(std::string name, Names operators, Names sources = {}) {
    ProfiledKernel kernel;
    kernel.name = std::move(name);
    kernel.operators = std::move(operators);
    kernel.sources = std::move(sources);
    return kernel;
}

ProfiledGraph made_graph(std::string function, std::string direction,
                         std::vector<ProfiledKernel> kernels) {
    ProfiledGraph graph;
    graph.function = std::move(function);
    graph.direction = std::move(direction);
    graph.kernels = std::move(kernels);
    return graph;
}

}  // namespace

TEST_CASE("graphs match by function and direction, the most similar first") {
    const std::vector<ProfiledGraph> a = {
        made_graph("f", "forward", {made_kernel("k0", {"add", "mul"})}),
        made_graph("f", "forward", {made_kernel("k1", {"mm"})}),
        made_graph("g", "forward", {made_kernel("k2", {"mm"})})};
    const std::vector<ProfiledGraph> b = {
        made_graph("f", "forward", {made_kernel("k3", {"mm"})}),
        made_graph("f", "backward", {made_kernel("k4", {"mm"})}),
        made_graph("f", "forward", {made_kernel("k5", {"add", "relu"})})};
    Pairs pairs = matched_graphs(a, b);
    std::sort(pairs.begin(), pairs.end());
    CHECK(pairs == Pairs{{0, 2}, {1, 0}, {2, kNoGraph}, {kNoGraph, 1}});
}

TEST_CASE("kernels without known operators match by name without number") {
    const ProfiledGraph a = made_graph("f", "", {made_kernel("triton_poi_fused_add_0", {})});
    const ProfiledGraph b = made_graph("f", "", {made_kernel("triton_poi_fused_add_3", {})});
    const std::vector<KernelGroup> groups = kernel_groups(a, b);
    REQUIRE(groups.size() == 1);
    CHECK(groups[0].is_same);
}

TEST_CASE("equal kernels are paired by their lines, and the rest by operators of a line") {
    const ProfiledGraph a = made_graph(
        "f", "",
        {made_kernel("one", {"add"}, {"x + 1"}), made_kernel("two", {"add"}, {"y + 1"}),
         made_kernel("three", {"mm"}, {"x @ w"}), made_kernel("four", {"relu"}, {"relu(z)"})});
    const ProfiledGraph b =
        made_graph("f", "",
                   {made_kernel("two", {"add"}, {"y + 1"}), made_kernel("one", {"add"}, {"x + 1"}),
                    made_kernel("fused", {"mm", "relu"}, {"x @ w", "relu(z)"}),
                    made_kernel("new", {"relu"}, {"elsewhere"})});
    const std::vector<KernelGroup> groups = kernel_groups(a, b);
    REQUIRE(groups.size() == 4);
    CHECK((groups[0].a == std::vector<uint32_t>{0} && groups[0].b == std::vector<uint32_t>{1}));
    CHECK((groups[1].a == std::vector<uint32_t>{1} && groups[1].b == std::vector<uint32_t>{0}));
    // Equal operators on different lines take precedence over parts of a fusion.
    CHECK((groups[2].a == std::vector<uint32_t>{3} && groups[2].b == std::vector<uint32_t>{3}));
    CHECK((groups[3].a == std::vector<uint32_t>{2} && groups[3].b == std::vector<uint32_t>{2}));
    CHECK_FALSE(groups[3].is_same);
}
