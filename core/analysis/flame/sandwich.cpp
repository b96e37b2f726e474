#include "core/analysis/flame/sandwich.h"

#include <algorithm>
#include <cctype>

#include "core/analysis/flame/flame_builder.h"

namespace lanescope {

namespace {

// By node: whether none of the nodes around it has the same frame.
std::vector<bool> outermost_nodes(const FlameTree& tree) {
    std::vector<bool> outermost(tree.nodes.size(), false);
    std::vector<uint32_t> open(tree.frames.size(), 0);  // by frame: nodes of it on the stack
    struct Entry {
        uint32_t node;
        bool leave;
    };
    std::vector<Entry> todo = {{FlameBuilder::kRoot, false}};
    while (!todo.empty()) {
        const auto [at, leave] = todo.back();
        todo.pop_back();
        const FlameNode& node = tree.nodes[at];
        if (leave) {
            --open[node.frame];
            continue;
        }
        if (node.frame != kNoRow) {
            outermost[at] = open[node.frame]++ == 0;
            todo.push_back({at, true});
        }
        for (uint32_t i = 0; i < node.child_count; ++i)
            todo.push_back({node.first_child + i, false});
    }
    return outermost;
}

// The outermost nodes of one frame.
std::vector<uint32_t> nodes_of(const FlameTree& tree, uint32_t frame) {
    std::vector<uint32_t> found;
    std::vector<bool> inside(tree.nodes.size(), false);
    for (uint32_t i = 1; i < tree.nodes.size(); ++i) {
        const FlameNode& node = tree.nodes[i];
        inside[i] = inside[node.parent];
        if (inside[i] || node.frame != frame) continue;
        inside[i] = true;
        found.push_back(i);
    }
    return found;
}

bool is_lane(const FlameTree& tree, const FlameNode& node) {
    return tree.frames[node.frame].kind == FlameFrame::Kind::lane;
}

// Enters the node and what is around it, the node first; returns the outermost.
uint32_t enter_upwards(const FlameTree& tree, FlameBuilder& builder, uint32_t at) {
    const uint64_t calls = tree.nodes[at].calls;
    uint32_t entered = FlameBuilder::kRoot;
    for (; at != FlameBuilder::kRoot; at = tree.nodes[at].parent) {
        const FlameNode& node = tree.nodes[at];
        if (!is_lane(tree, node))
            entered =
                builder.enter(entered, node.frame, node.longest, node.longest_duration, calls);
    }
    return entered;
}

}  // namespace

std::vector<FlameName> flame_names(const FlameTree& tree) {
    const std::vector<bool> outermost = outermost_nodes(tree);
    std::vector<FlameName> names(tree.frames.size());
    std::vector<Nanos> longest(tree.frames.size(), -1);
    for (uint32_t i = 0; i < names.size(); ++i) names[i].frame = i;
    for (uint32_t i = 1; i < tree.nodes.size(); ++i) {
        const FlameNode& node = tree.nodes[i];
        FlameName& name = names[node.frame];
        name.self += node.self;
        name.calls += node.calls;
        if (outermost[i]) name.total += node.total;
        if (!node.longest || node.longest_duration <= longest[node.frame]) continue;
        name.longest = node.longest;
        longest[node.frame] = node.longest_duration;
    }
    std::erase_if(names, [&](const FlameName& name) {
        return tree.frames[name.frame].kind == FlameFrame::Kind::lane ||
               (name.calls == 0 && name.total == 0);
    });
    std::ranges::stable_sort(names, [](const FlameName& a, const FlameName& b) {
        return a.self != b.self ? a.self > b.self : a.total > b.total;
    });
    return names;
}

FlameTree callers_of(const FlameTree& tree, uint32_t frame) {
    FlameBuilder builder(tree, FlameOrder::heavy);
    for (const uint32_t at : nodes_of(tree, frame))
        builder.add(enter_upwards(tree, builder, at), tree.nodes[at].total);
    return builder.take();
}

FlameTree callees_of(const FlameTree& tree, uint32_t frame) {
    FlameBuilder builder(tree, FlameOrder::heavy);
    struct Entry {
        uint32_t node, parent;
    };
    std::vector<Entry> todo;
    for (const uint32_t at : nodes_of(tree, frame)) todo.push_back({at, FlameBuilder::kRoot});
    while (!todo.empty()) {
        const auto [at, parent] = todo.back();
        todo.pop_back();
        const FlameNode& node = tree.nodes[at];
        const uint32_t entered =
            builder.enter(parent, node.frame, node.longest, node.longest_duration, node.calls);
        builder.add(entered, node.self);
        for (uint32_t i = 0; i < node.child_count; ++i)
            todo.push_back({node.first_child + i, entered});
    }
    return builder.take();
}

FlameTree inverted(const FlameTree& tree) {
    FlameBuilder builder(tree, FlameOrder::heavy);
    for (uint32_t i = 1; i < tree.nodes.size(); ++i)
        if (tree.nodes[i].self > 0 && !is_lane(tree, tree.nodes[i]))
            builder.add(enter_upwards(tree, builder, i), tree.nodes[i].self);
    return builder.take();
}

FlameMatches find_flames(const Trace& trace, const FlameTree& tree, std::string_view text) {
    const auto lower = [](char c) {
        return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    };
    const auto same = [&](char a, char b) { return lower(a) == lower(b); };
    FlameMatches matches;
    for (const FlameFrame& frame : tree.frames) {
        const std::string_view name = frame_text(trace, frame);
        matches.frames.push_back(
            std::search(name.begin(), name.end(), text.begin(), text.end(), same) != name.end());
    }
    if (text.empty()) matches.frames.assign(tree.frames.size(), false);
    std::vector<bool> inside(tree.nodes.size(), false);
    for (uint32_t i = 1; i < tree.nodes.size(); ++i) {
        const FlameNode& node = tree.nodes[i];
        const bool found = matches.frames[node.frame];
        matches.nodes += found;
        if (found && !inside[node.parent]) matches.weight += node.total;
        inside[i] = found || inside[node.parent];
    }
    return matches;
}

}  // namespace lanescope
