// Merges functions that a comparison must not distinguish.
#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "core/insight/compare/function_tree.h"
#include "core/insight/compare/share_sums.h"

namespace lanescope {

namespace {

// Shapes in fewer of their function's steps change from step to step.
constexpr double kStepsOfShape = 0.8;

// Whether all nodes that differ in shapes only occur in nearly all steps in which one of them does.
std::vector<bool> steady_shapes(const FunctionTree& tree) {
    std::vector<bool> steady(tree.nodes.size(), true);
    std::map<std::tuple<uint32_t, uint64_t, FunctionKind>, std::vector<uint32_t>> groups;
    for (uint32_t i = 1; i < tree.nodes.size(); ++i)
        if (const FunctionNode& node = tree.nodes[i]; node.shape != 0)
            groups[{node.parent, node.label, node.kind}].push_back(i);
    std::vector<uint32_t> steps;
    for (const auto& [key, group] : groups) {
        if (group.size() < 2) continue;
        steps.clear();
        std::size_t fewest = SIZE_MAX;
        for (const uint32_t node : group) {
            std::size_t with_calls = 0;
            for (const FunctionShare& share : tree.shares_of(node)) {
                if (share.calls == 0) continue;
                steps.push_back(share.step);
                ++with_calls;
            }
            fewest = std::min(fewest, with_calls);
        }
        std::ranges::sort(steps);
        steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
        if (static_cast<double>(fewest) >= kStepsOfShape * static_cast<double>(steps.size()))
            continue;
        for (const uint32_t node : group) steady[node] = false;
    }
    return steady;
}

}  // namespace

void add_parts(std::vector<FunctionPart>& to, const std::vector<FunctionPart>& from) {
    for (const FunctionPart& part : from) {
        const auto found = std::ranges::find(to, part.name, &FunctionPart::name);
        if (found == to.end())
            to.push_back(part);
        else
            found->time += part.time;
    }
    std::ranges::stable_sort(to, std::greater<>(), &FunctionPart::time);
}

FunctionTree merged_functions(const FunctionTree& tree, FunctionLevels levels) {
    const std::vector<bool> steady = steady_shapes(tree);
    FunctionTree merged;
    merged.nodes.push_back(tree.nodes[0]);
    merged.nodes[0].children.clear();
    merged.parts.resize(1);
    std::vector<uint32_t> place(tree.nodes.size(), 0);
    std::map<std::tuple<uint32_t, uint64_t, FunctionKind, uint64_t>, uint32_t> known;

    for (uint32_t i = 0; i < tree.nodes.size(); ++i) {
        const FunctionNode& node = tree.nodes[i];
        if (i > 0) {
            place[i] = place[node.parent];
            if (levels.modules || node.kind != FunctionKind::module) {
                const uint64_t shape = levels.shapes && steady[i] ? node.shape : 0;
                const auto next = static_cast<uint32_t>(merged.nodes.size());
                const auto [found, added] =
                    known.try_emplace({place[node.parent], node.label, node.kind, shape}, next);
                if (added) {
                    FunctionNode own = node;
                    own.parent = place[node.parent];
                    own.children.clear();
                    own.shape = shape;
                    if (shape == 0) own.shapes.clear();
                    merged.nodes.push_back(std::move(own));
                    merged.parts.emplace_back();
                }
                place[i] = found->second;
                FunctionNode& one = merged.nodes[place[i]];
                one.first = std::min(one.first, node.first);
            }
        }
        add_parts(merged.parts[place[i]], tree.parts[i]);
    }
    ShareSums sums;
    for (uint32_t i = 0; i < tree.nodes.size(); ++i)
        for (const FunctionShare& share : tree.shares_of(i)) {
            FunctionShare& sum = sums.of(place[i], share.step);
            if (levels.modules || tree.nodes[i].kind != FunctionKind::module)
                sum.calls += share.calls;
            sum.gpu += share.gpu;
            sum.host += share.host;
        }
    sums.finish(merged);
    for (uint32_t i = 1; i < merged.nodes.size(); ++i)
        merged.nodes[merged.nodes[i].parent].children.push_back(i);
    for (FunctionNode& node : merged.nodes)
        std::ranges::stable_sort(node.children, {},
                                 [&](uint32_t i) { return merged.nodes[i].first; });
    return merged;
}

}  // namespace lanescope
