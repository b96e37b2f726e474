#include "core/insight/compare/graph_match.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>

namespace lanescope {

namespace {

// Identifies a kernel by its operators; if they are unknown, by its name without the number within
// the graph.
std::string computed_by(const ProfiledKernel& kernel) {
    std::string text;
    for (const std::string& name : kernel.operators) text += name + "\n";
    if (!text.empty()) return text;
    text = kernel.name;
    const std::size_t number = text.rfind('_');
    if (number != std::string::npos &&
        text.find_first_not_of("0123456789", number + 1) == std::string::npos)
        text.resize(number);
    return text;
}

std::vector<std::string> computed_by(const ProfiledGraph& graph) {
    std::vector<std::string> all;
    for (const ProfiledKernel& kernel : graph.kernels) all.push_back(computed_by(kernel));
    std::ranges::sort(all);
    return all;
}

std::vector<std::string> operators_of(const ProfiledGraph& graph) {
    std::vector<std::string> all;
    for (const ProfiledKernel& kernel : graph.kernels)
        if (kernel.operators.empty())
            all.push_back(computed_by(kernel));
        else
            all.insert(all.end(), kernel.operators.begin(), kernel.operators.end());
    std::ranges::sort(all);
    return all;
}

// Jaccard index of two sorted lists: 1 if they are equal, 0 if they share nothing.
double likeness(const std::vector<std::string>& a, const std::vector<std::string>& b) {
    std::vector<std::string> common;
    std::ranges::set_intersection(a, b, std::back_inserter(common));
    const std::size_t all = a.size() + b.size() - common.size();
    return all == 0 ? 1 : static_cast<double>(common.size()) / static_cast<double>(all);
}

using GraphPlaces = std::vector<uint32_t>;

// Matches graphs of the same function and direction.
class GraphMatcher {
  public:
    GraphMatcher(std::span<const ProfiledGraph> a, std::span<const ProfiledGraph> b)
        : a_(a), b_(b) {}

    std::vector<std::pair<uint32_t, uint32_t>> pairs;

    void match(const GraphPlaces& of_a, const GraphPlaces& of_b) {
        std::map<std::vector<std::string>, GraphPlaces> same;
        for (const uint32_t i : of_a) same[computed_by(a_[i])].push_back(i);
        GraphPlaces left_b;
        for (const uint32_t i : of_b) {
            const auto found = same.find(computed_by(b_[i]));
            if (found == same.end() || found->second.empty()) {
                left_b.push_back(i);
                continue;
            }
            pairs.emplace_back(found->second.front(), i);
            found->second.erase(found->second.begin());
        }
        GraphPlaces left_a;
        for (const auto& [text, places] : same)
            left_a.insert(left_a.end(), places.begin(), places.end());
        std::ranges::sort(left_a);
        match_alike(left_a, left_b);
    }

  private:
    struct Candidate {
        double likeness;
        uint32_t a, b;
    };

    void match_alike(const GraphPlaces& of_a, const GraphPlaces& of_b) {
        constexpr std::size_t most = 100'000;  // with more pairs, only equal graphs are matched
        std::vector<Candidate> candidates;
        if (of_a.size() * of_b.size() <= most)
            for (const uint32_t i : of_a)
                for (const uint32_t j : of_b)
                    candidates.push_back(
                        {likeness(operators_of(a_[i]), operators_of(b_[j])), i, j});
        std::ranges::stable_sort(candidates, std::greater(), &Candidate::likeness);
        std::vector<bool> used_a(a_.size());
        std::vector<bool> used_b(b_.size());
        for (const Candidate& one : candidates) {
            if (one.likeness <= 0 || used_a[one.a] || used_b[one.b]) continue;
            pairs.emplace_back(one.a, one.b);
            used_a[one.a] = true;
            used_b[one.b] = true;
        }
        for (const uint32_t i : of_a)
            if (!used_a[i]) pairs.emplace_back(i, kNoGraph);
        for (const uint32_t j : of_b)
            if (!used_b[j]) pairs.emplace_back(kNoGraph, j);
    }

    std::span<const ProfiledGraph> a_;
    std::span<const ProfiledGraph> b_;
};

// Pairs of an operator and a line. Kernels that share a pair compute parts of the same operation.
std::vector<std::string> operators_by_line(const ProfiledKernel& kernel) {
    std::vector<std::string> parts;
    if (kernel.operators.empty()) parts.push_back(computed_by(kernel));
    for (const std::string& name : kernel.operators) {
        if (kernel.sources.empty()) parts.push_back(name);
        for (const std::string& line : kernel.sources) parts.push_back(name + "\n" + line);
    }
    return parts;
}

// Groups kernels that share operators.
class KernelGrouper {
  public:
    KernelGrouper(const ProfiledGraph& a, const ProfiledGraph& b) : a_(a), b_(b) {
        left_a_.assign(a.kernels.size(), true);
        left_b_.assign(b.kernels.size(), true);
    }

    std::vector<KernelGroup> run() {
        pair_same([](const ProfiledKernel& kernel) {
            std::string text = computed_by(kernel);
            for (const std::string& line : kernel.sources) text += "\n" + line;
            return text;
        });
        pair_same([](const ProfiledKernel& kernel) { return computed_by(kernel); });
        group_rest();
        return std::move(groups_);
    }

  private:
    template <typename KeyOf>
    void pair_same(const KeyOf& key_of) {
        std::map<std::string, GraphPlaces> of_b;
        for (uint32_t j = 0; j < b_.kernels.size(); ++j)
            if (left_b_[j]) of_b[key_of(b_.kernels[j])].push_back(j);
        for (uint32_t i = 0; i < a_.kernels.size(); ++i) {
            if (!left_a_[i]) continue;
            const auto found = of_b.find(key_of(a_.kernels[i]));
            if (found == of_b.end() || found->second.empty()) continue;
            const uint32_t j = found->second.front();
            found->second.erase(found->second.begin());
            groups_.push_back({{i}, {j}, true});
            left_a_[i] = left_b_[j] = false;
        }
    }

    void group_rest() {
        const std::size_t count = a_.kernels.size() + b_.kernels.size();
        for (uint32_t i = 0; i < count; ++i) root_.push_back(i);
        std::map<std::string, uint32_t> first;
        const auto add = [&](const ProfiledKernel& kernel, uint32_t at) {
            for (std::string& part : operators_by_line(kernel)) {
                const auto [known, is_new] = first.try_emplace(std::move(part), at);
                if (!is_new) root_[root_of(at)] = root_of(known->second);
            }
        };
        const auto size_a = static_cast<uint32_t>(a_.kernels.size());
        for (uint32_t i = 0; i < a_.kernels.size(); ++i)
            if (left_a_[i]) add(a_.kernels[i], i);
        for (uint32_t j = 0; j < b_.kernels.size(); ++j)
            if (left_b_[j]) add(b_.kernels[j], size_a + j);
        std::map<uint32_t, KernelGroup> by_root;
        for (uint32_t i = 0; i < a_.kernels.size(); ++i)
            if (left_a_[i]) by_root[root_of(i)].a.push_back(i);
        for (uint32_t j = 0; j < b_.kernels.size(); ++j)
            if (left_b_[j]) by_root[root_of(size_a + j)].b.push_back(j);
        for (auto& [root, group] : by_root) groups_.push_back(std::move(group));
    }

    uint32_t root_of(uint32_t at) {
        while (root_[at] != at) at = root_[at] = root_[root_[at]];
        return at;
    }

    const ProfiledGraph& a_;
    const ProfiledGraph& b_;
    std::vector<bool> left_a_, left_b_;
    std::vector<uint32_t> root_;
    std::vector<KernelGroup> groups_;
};

}  // namespace

std::vector<std::pair<uint32_t, uint32_t>> matched_graphs(std::span<const ProfiledGraph> a,
                                                          std::span<const ProfiledGraph> b) {
    std::map<std::pair<std::string, std::string>, std::pair<GraphPlaces, GraphPlaces>> places;
    for (uint32_t i = 0; i < a.size(); ++i)
        places[{a[i].function, a[i].direction}].first.push_back(i);
    for (uint32_t j = 0; j < b.size(); ++j)
        places[{b[j].function, b[j].direction}].second.push_back(j);
    GraphMatcher matcher(a, b);
    for (const auto& [key, both] : places) matcher.match(both.first, both.second);
    return std::move(matcher.pairs);
}

std::vector<KernelGroup> kernel_groups(const ProfiledGraph& a, const ProfiledGraph& b) {
    return KernelGrouper(a, b).run();
}

}  // namespace lanescope
