#include "core/insight/compare/alignment.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace lanescope {

namespace {

constexpr uint32_t kNoMatch = ~uint32_t{0};
// Larger lists are matched by name in order, without the search for the best order.
constexpr std::size_t kMaxCells = 250'000;
constexpr int kMaxOpened = 8;
// The engine's frame around each function of a backward pass, and a compiled one.
constexpr std::string_view kAutograd = "autograd::engine::evaluate_function: ";
constexpr std::string_view kCompiledBackward = "CompiledFunctionBackward";

bool is_work(FunctionKind kind) {
    return kind == FunctionKind::kernel || kind == FunctionKind::no_launch;
}

uint64_t mixed(uint64_t a, uint64_t b) {
    return (a ^ (b + 0x9E3779B97F4A7C15ULL + (a << 6U) + (a >> 2U))) * 0xBF58476D1CE4E5B9ULL;
}

// The kinds that can be matched with each other: a kernel with a kernel.
uint64_t group_of(FunctionKind kind) {
    return is_work(kind) ? static_cast<uint64_t>(FunctionKind::kernel)
                         : static_cast<uint64_t>(kind);
}

uint64_t name_key(const FunctionNode& node) {
    return mixed(node.label, group_of(node.kind));
}

// For modules of any number.
uint64_t base_key(const FunctionNode& node) {
    return mixed(node.base, group_of(node.kind));
}

uint64_t exact_key(const FunctionNode& node) {
    return mixed(name_key(node), node.shape);
}

// The children of two matched functions that are still to be matched, in order.
struct Siblings {
    std::vector<uint32_t> a, b;
    std::vector<uint32_t> match_a;  // by place in a: the place in b, or kNoMatch
    std::vector<uint32_t> match_b;

    void match(uint32_t place_a, uint32_t place_b) {
        match_a[place_a] = place_b;
        match_b[place_b] = place_a;
    }
    void reset() {
        match_a.assign(a.size(), kNoMatch);
        match_b.assign(b.size(), kNoMatch);
    }
};

std::vector<uint32_t> unmatched(std::span<const uint32_t> matches) {
    std::vector<uint32_t> places;
    for (uint32_t i = 0; i < matches.size(); ++i)
        if (matches[i] == kNoMatch) places.push_back(i);
    return places;
}

class Aligner {
  public:
    Aligner(const FunctionTree& a, const FunctionTree& b) : a_(a), b_(b) {}

    std::vector<AlignedFunctions> take() {
        align(0, 0, Pairing::same);
        // Alignment goes deep: a stack of our own, since trees from files may be very deep.
        while (!open_.empty()) {
            const Open next = open_.back();
            open_.pop_back();
            align(next.a, next.b, next.pairing);
        }
        return std::move(rows_);
    }

  private:
    struct Open {
        uint32_t a, b;
        Pairing pairing;
    };

    void align(uint32_t a, uint32_t b, Pairing pairing) {
        const FunctionNode& node_a = a_.nodes[a];
        const FunctionNode& node_b = b_.nodes[b];
        const bool ops = node_a.kind == FunctionKind::op && node_b.kind == FunctionKind::op;
        const std::size_t row = rows_.size();
        rows_.push_back({pairing, {a}, {b}, {a}, {b}});
        Siblings siblings{node_a.children, node_b.children, {}, {}};
        siblings.reset();
        match_by_key(siblings, exact_key);
        if (!ops) open_wrappers(siblings);
        match_in_order(siblings);
        for (uint32_t i = 0; i < siblings.a.size(); ++i)
            if (siblings.match_a[i] != kNoMatch)
                open_.push_back({siblings.a[i], siblings.b[siblings.match_a[i]], Pairing::same});
        if (!ops) return pair_rest(siblings);
        for (const uint32_t place : unmatched(siblings.match_a))
            add_subtree(a_, siblings.a[place], rows_[row].nodes_a);
        for (const uint32_t place : unmatched(siblings.match_b))
            add_subtree(b_, siblings.b[place], rows_[row].nodes_b);
    }

    // Siblings differ in their keys, except those that were opened.
    template <typename Key>
    void match_by_key(Siblings& siblings, const Key& key) const {
        std::unordered_map<uint64_t, std::vector<uint32_t>> places;
        for (uint32_t i = static_cast<uint32_t>(siblings.b.size()); i-- > 0;)
            if (siblings.match_b[i] == kNoMatch) places[key(b_.nodes[siblings.b[i]])].push_back(i);
        for (uint32_t i = 0; i < siblings.a.size(); ++i) {
            if (siblings.match_a[i] != kNoMatch) continue;
            const auto found = places.find(key(a_.nodes[siblings.a[i]]));
            if (found == places.end() || found->second.empty()) continue;
            siblings.match(i, found->second.back());
            found->second.pop_back();
        }
    }

    // Replaces functions of one list by their callees where the other list has one of those.
    void open_wrappers(Siblings& siblings) {
        for (int round = 0; round < kMaxOpened; ++round) {
            const bool opened_b = open_in(b_, siblings.b, siblings.match_b, a_, siblings.a,
                                          siblings.match_a, Pairing::added);
            const bool opened_a = !opened_b && open_in(a_, siblings.a, siblings.match_a, b_,
                                                       siblings.b, siblings.match_b, Pairing::gone);
            if (!opened_a && !opened_b) return;
            siblings.reset();
            match_by_key(siblings, exact_key);
        }
    }

    bool open_in(const FunctionTree& tree, std::vector<uint32_t>& list,
                 std::span<const uint32_t> matches, const FunctionTree& other,
                 std::span<const uint32_t> other_list, std::span<const uint32_t> other_matches,
                 Pairing pairing) {
        std::unordered_set<uint64_t> wanted;
        for (const uint32_t place : unmatched(other_matches))
            wanted.insert(name_key(other.nodes[other_list[place]]));
        std::vector<uint32_t> next;
        bool opened = false;
        for (uint32_t i = 0; i < list.size(); ++i) {
            const FunctionNode& node = tree.nodes[list[i]];
            const bool opens = matches[i] == kNoMatch && !wanted.contains(name_key(node)) &&
                               std::ranges::any_of(node.children, [&](uint32_t child) {
                                   return wanted.contains(name_key(tree.nodes[child]));
                               });
            if (!opens) {
                next.push_back(list[i]);
                continue;
            }
            opened = true;
            next.insert(next.end(), node.children.begin(), node.children.end());
            add_alone(pairing, {list[i]});
        }
        list = std::move(next);
        return opened;
    }

    // How well two functions fit; 0: not at all.
    static int score(const FunctionNode& a, const FunctionNode& b) {
        if (group_of(a.kind) != group_of(b.kind)) return 0;
        if (a.label == b.label) return a.shape == b.shape ? 4 : 3;
        return a.base == b.base && !is_work(a.kind) ? 2 : 0;
    }

    // The best matches that keep the order, by dynamic programming.
    void match_in_order(Siblings& siblings) const {
        const std::vector<uint32_t> rest_a = unmatched(siblings.match_a);
        const std::vector<uint32_t> rest_b = unmatched(siblings.match_b);
        if (rest_a.empty() || rest_b.empty()) return;
        if (rest_a.size() * rest_b.size() > kMaxCells) {
            match_by_key(siblings, name_key);
            match_by_key(siblings, base_key);
            return;
        }
        const std::size_t width = rest_b.size() + 1;
        std::vector<int> best((rest_a.size() + 1) * width, 0);  // of the lists from [i] and [j] on
        const auto fit = [&](std::size_t i, std::size_t j) {
            return score(a_.nodes[siblings.a[rest_a[i]]], b_.nodes[siblings.b[rest_b[j]]]);
        };
        for (std::size_t i = rest_a.size(); i-- > 0;)
            for (std::size_t j = rest_b.size(); j-- > 0;) {
                const int fits = fit(i, j);
                const int skip = std::max(best[(i + 1) * width + j], best[i * width + j + 1]);
                const int match = fits == 0 ? 0 : fits + best[(i + 1) * width + j + 1];
                best[i * width + j] = std::max(skip, match);
            }
        for (std::size_t i = 0, j = 0; i < rest_a.size() && j < rest_b.size();) {
            const int fits = fit(i, j);
            if (fits > 0 && best[i * width + j] == fits + best[(i + 1) * width + j + 1])
                siblings.match(rest_a[i++], rest_b[j++]);
            else if (best[i * width + j] == best[(i + 1) * width + j])
                ++i;
            else
                ++j;
        }
    }

    // Functions without a match, between the same two matched ones.
    struct Between {
        std::vector<uint32_t> a, b;
    };

    // A compiled backward pass stands for all of its functions without a match, since gradients are
    // accumulated between these.
    void gather_backward(std::vector<Between>& gaps) const {
        const auto is_compiled = [](const FunctionTree& tree) {
            return [&tree](uint32_t node) {
                return tree.nodes[node].name.starts_with(kAutograd) &&
                       tree.nodes[node].name.ends_with(kCompiledBackward);
            };
        };
        const bool any = std::ranges::any_of(gaps, [&](const Between& between) {
            return std::ranges::any_of(between.a, is_compiled(a_)) ||
                   std::ranges::any_of(between.b, is_compiled(b_));
        });
        if (!any) return;
        const auto gather = [&](const FunctionTree& tree, std::vector<uint32_t> Between::*side) {
            std::vector<uint32_t> all;
            for (Between& between : gaps)
                std::erase_if(between.*side, [&](uint32_t node) {
                    const bool moves = tree.nodes[node].name.starts_with(kAutograd);
                    if (moves) all.push_back(node);
                    return moves;
                });
            return all;
        };
        Between backward{gather(a_, &Between::a), gather(b_, &Between::b)};
        gaps.push_back(std::move(backward));
    }

    // Functions without a match, between the same two matched ones, stand for each other.
    void pair_rest(const Siblings& siblings) {
        // By the place in b of the match before, 0: none.
        std::vector<Between> gaps(siblings.b.size() + 1);
        uint32_t gap = 0;
        for (uint32_t i = 0; i < siblings.a.size(); ++i) {
            if (siblings.match_a[i] != kNoMatch)
                gap = siblings.match_a[i] + 1;
            else
                gaps[gap].a.push_back(siblings.a[i]);
        }
        gap = 0;
        for (uint32_t i = 0; i < siblings.b.size(); ++i) {
            if (siblings.match_b[i] != kNoMatch)
                gap = i + 1;
            else
                gaps[gap].b.push_back(siblings.b[i]);
        }
        gather_backward(gaps);
        for (Between& between : gaps) pair_between(std::move(between.a), std::move(between.b));
    }

    // Work without a launch has no place in the program that something else could stand in.
    void pair_between(std::vector<uint32_t> a, std::vector<uint32_t> b) {
        const auto move_out = [&](const FunctionTree& tree, std::vector<uint32_t>& nodes,
                                  Pairing pairing) {
            std::erase_if(nodes, [&](uint32_t node) {
                if (tree.nodes[node].kind != FunctionKind::no_launch) return false;
                add_alone(pairing, {node});
                return true;
            });
        };
        move_out(a_, a, Pairing::gone);
        move_out(b_, b, Pairing::added);
        if (b.empty())
            for (const uint32_t node : a) add_alone(Pairing::gone, subtree(a_, node));
        else if (a.empty())
            for (const uint32_t node : b) add_alone(Pairing::added, subtree(b_, node));
        else if (a.size() == 1 && b.size() == 1 && call_the_same(a.front(), b.front()))
            open_.push_back({a.front(), b.front(), Pairing::renamed});
        else {
            AlignedFunctions row;
            row.pairing = a.size() > 1 && b.size() == 1   ? Pairing::fused
                          : a.size() == 1 && b.size() > 1 ? Pairing::split
                                                          : Pairing::replaced;
            row.heads_a = a;
            row.heads_b = b;
            for (const uint32_t node : a) add_subtree(a_, node, row.nodes_a);
            for (const uint32_t node : b) add_subtree(b_, node, row.nodes_b);
            rows_.push_back(std::move(row));
        }
    }

    bool call_the_same(uint32_t a, uint32_t b) const {
        if (is_work(a_.nodes[a].kind) || is_work(b_.nodes[b].kind)) return false;
        std::unordered_set<uint64_t> called;
        for (const uint32_t child : a_.nodes[a].children) called.insert(base_key(a_.nodes[child]));
        return std::ranges::any_of(b_.nodes[b].children, [&](uint32_t child) {
            return called.contains(base_key(b_.nodes[child]));
        });
    }

    void add_alone(Pairing pairing, std::vector<uint32_t> nodes) {
        AlignedFunctions row;
        row.pairing = pairing;
        (pairing == Pairing::gone ? row.heads_a : row.heads_b) = {nodes.front()};
        (pairing == Pairing::gone ? row.nodes_a : row.nodes_b) = std::move(nodes);
        rows_.push_back(std::move(row));
    }

    static std::vector<uint32_t> subtree(const FunctionTree& tree, uint32_t node) {
        std::vector<uint32_t> nodes;
        add_subtree(tree, node, nodes);
        return nodes;
    }

    static void add_subtree(const FunctionTree& tree, uint32_t node, std::vector<uint32_t>& to) {
        std::size_t next = to.size();
        to.push_back(node);
        for (; next < to.size(); ++next) {
            const std::vector<uint32_t>& children = tree.nodes[to[next]].children;
            to.insert(to.end(), children.begin(), children.end());
        }
    }

    const FunctionTree& a_;
    const FunctionTree& b_;
    std::vector<AlignedFunctions> rows_;
    std::vector<Open> open_;
};

}  // namespace

std::vector<AlignedFunctions> align_functions(const FunctionTree& a, const FunctionTree& b) {
    return Aligner(a, b).take();
}

}  // namespace lanescope
