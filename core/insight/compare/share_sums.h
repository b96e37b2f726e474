// Sums up what functions did in each step.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/base/flat_map.h"
#include "core/insight/compare/function_tree.h"

namespace lanescope {

class ShareSums {
  public:
    // Valid until the next call. Fast while a function stays in the same step.
    FunctionShare& of(uint32_t node, uint32_t step) {
        if (node >= last_.size()) last_.resize(std::max<std::size_t>(node + 1, last_.size() * 2));
        Last& last = last_[node];
        if (last.step != step) {
            const auto next = static_cast<uint32_t>(sums_.size());
            const auto [index, added] = index_.try_emplace(uint64_t{node} << 32U | step, next);
            if (added) {
                sums_.push_back({});
                sums_.back().step = step;
                node_.push_back(node);
            }
            last = {step, index};
        }
        return sums_[last.index];
    }

    // Puts the sums into the tree, by node and step.
    void finish(FunctionTree& tree) const {
        std::vector<uint32_t>& first = tree.first_share;
        first.assign(tree.nodes.size() + 1, 0);
        for (const uint32_t node : node_) ++first[node + 1];
        for (std::size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];
        tree.shares.resize(sums_.size());
        std::vector<uint32_t> next(first.begin(), first.end() - 1);
        for (std::size_t i = 0; i < sums_.size(); ++i) tree.shares[next[node_[i]]++] = sums_[i];
        for (std::size_t i = 0; i + 1 < first.size(); ++i)
            std::sort(
                tree.shares.begin() + first[i], tree.shares.begin() + first[i + 1],
                [](const FunctionShare& a, const FunctionShare& b) { return a.step < b.step; });
    }

  private:
    struct Last {
        uint32_t step = ~uint32_t{0};
        uint32_t index = 0;
    };
    std::vector<Last> last_;  // by node
    FlatMap<uint32_t> index_;
    std::vector<FunctionShare> sums_;
    std::vector<uint32_t> node_;
};

}  // namespace lanescope
